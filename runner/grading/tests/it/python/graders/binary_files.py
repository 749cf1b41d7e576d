import base64, gzip, hashlib, io, struct, zipfile, zlib
from pathlib import Path

def grade(transcript, workspace_path):
    data = (Path(workspace_path) / "image.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a.txt", "hello" * 100)
    with zipfile.ZipFile(packed) as z:
        back = z.read("a.txt")
    return {
        "png": float(data[:8] == b"\x89PNG\r\n\x1a\n"),
        "size": float((width, height) == (640, 480)),
        "zip": float(back == b"hello" * 100),
        "gzip": float(gzip.decompress(gzip.compress(data)) == data),
        "sum": float(zlib.crc32(b"proctor") == 0x46F58B0D or hashlib.sha256(data).hexdigest()[:2] != ""),
        "base64": float(base64.b64decode(base64.b64encode(data)) == data),
    }
