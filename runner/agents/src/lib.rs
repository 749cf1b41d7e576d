//! Adapters: what it takes to run each agent and to read what it did.
