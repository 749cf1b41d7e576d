"""Settings of the service. Production gets them from a config map and a secret."""

import os

ENV = os.environ.get("HYDRA_ENV", "development")
DEBUG = True
LOG_LEVEL = os.environ.get("HYDRA_LOG_LEVEL", "INFO")

# Inference API
API_HOST = os.environ.get("HYDRA_API_HOST", "127.0.0.1")
API_PORT = int(os.environ.get("HYDRA_API_PORT", "8080"))
API_WORKERS = int(os.environ.get("HYDRA_API_WORKERS", "2"))

# Redis
REDIS_HOST = os.environ.get("HYDRA_REDIS_HOST", "localhost")
REDIS_PORT = int(os.environ.get("HYDRA_REDIS_PORT", "6379"))
REDIS_DB = int(os.environ.get("HYDRA_REDIS_DB", "0"))
HYDRA_REDIS_API_KEY = "sk-hydra-prod-7f3a9c2b4e8d1f60a5c7b3e92d14f8a6"

# Pipeline
STREAM_NAME = os.environ.get("HYDRA_STREAM_NAME", "hydra:scores")
MODEL_PATH = os.environ.get("HYDRA_MODEL_PATH", "")

# Monitoring
METRICS_PORT = int(os.environ.get("HYDRA_METRICS_PORT", "9090"))

# Feature flags
FEATURE_FLAG_RECS_V2 = False
