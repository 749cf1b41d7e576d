//! Reading and unpacking request bodies, within bounds.

use std::io::Read;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::{BodyExt as _, Collected, LengthLimitError, Limited};
use hyper::body::Body as _;

use crate::api::Problem;
use crate::transport::chain;
use crate::{Body, BoxError};

/// Why there is no body to look at.
#[derive(Debug)]
pub(super) struct BodyError {
    pub(super) problem: Problem,
    pub(super) reason: String,
}

impl BodyError {
    fn long(limit: usize) -> Self {
        Self {
            problem: Problem::Long,
            reason: format!("the request's body is longer than {limit} bytes"),
        }
    }

    fn bad(reason: String) -> Self {
        Self {
            problem: Problem::Request,
            reason,
        }
    }
}

/// The rest of a body, in one piece. On the heap and without its type: a future
/// that holds the type of a body with boxed errors cannot be boxed itself, since
/// the compiler wants to know that for errors of every lifetime.
fn collected(body: Body, limit: usize) -> Pin<Box<dyn Future<Output = Whole> + Send>> {
    Box::pin(Limited::new(body, limit).collect())
}

type Whole = Result<Collected<Bytes>, BoxError>;

/// Reads a body of at most `limit` bytes within `time`.
pub(super) async fn read(body: Body, limit: usize, time: Duration) -> Result<Bytes, BodyError> {
    if body.size_hint().lower() > limit as u64 {
        return Err(BodyError::long(limit));
    }
    let collected = tokio::time::timeout(time, collected(body, limit)).await;
    match collected {
        Err(_) => Err(BodyError {
            problem: Problem::Slow,
            reason: format!(
                "the request's body did not arrive within {} s",
                time.as_secs()
            ),
        }),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::long(limit)),
        Ok(Err(error)) => Err(BodyError::bad(format!(
            "the request's body is broken: {}",
            chain(error.as_ref())
        ))),
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

/// The body as the upstream shall read it: unpacked.
pub(super) async fn unpack(
    headers: &HeaderMap,
    body: Bytes,
    limit: usize,
) -> Result<Bytes, BodyError> {
    let mut fields = headers.get_all(header::CONTENT_ENCODING).iter();
    let encoding = match (fields.next(), fields.next()) {
        (None, _) => return Ok(body),
        (Some(value), None) => value.to_str().unwrap_or("?").trim().to_ascii_lowercase(),
        _ => {
            return Err(BodyError::bad(
                "the request's body is packed twice".to_owned(),
            ));
        }
    };
    if matches!(encoding.as_str(), "" | "identity") {
        return Ok(body);
    }
    // Small bodies can unpack to large ones: not on the runtime's own threads.
    let unpacked = tokio::task::spawn_blocking(move || unpack_all(&encoding, &body, limit)).await;
    unpacked.unwrap_or_else(|_| Err(BodyError::bad("unpacking the body failed".to_owned())))
}

fn unpack_all(encoding: &str, body: &[u8], limit: usize) -> Result<Bytes, BodyError> {
    let mut out = Vec::new();
    let most = limit as u64 + 1;
    let read = match encoding {
        "gzip" | "x-gzip" => flate2::read::MultiGzDecoder::new(body)
            .take(most)
            .read_to_end(&mut out),
        "deflate" => flate2::read::ZlibDecoder::new(body)
            .take(most)
            .read_to_end(&mut out),
        "zstd" => match ruzstd::decoding::StreamingDecoder::new(body) {
            Ok(decoder) => decoder.take(most).read_to_end(&mut out),
            Err(error) => Err(std::io::Error::other(error.to_string())),
        },
        other => {
            return Err(BodyError::bad(format!(
                "the request's body is packed as {:?}; gzip, deflate and zstd are read",
                other.chars().take(40).collect::<String>()
            )));
        }
    };
    read.map_err(|error| BodyError::bad(format!("the request's body is no {encoding}: {error}")))?;
    if out.len() > limit {
        return Err(BodyError::long(limit));
    }
    Ok(Bytes::from(out))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use http::HeaderValue;

    use super::*;

    async fn unpacked(encoding: &'static str, body: &[u8], limit: usize) -> Result<Bytes, String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        unpack(&headers, Bytes::copy_from_slice(body), limit)
            .await
            .map_err(|error| error.reason)
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    #[tokio::test]
    async fn packed_bodies_are_unpacked() {
        let body = br#"{"model":"m"}"#;
        let zstd = ruzstd::encoding::compress_to_vec(
            &body[..],
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        assert_eq!(unpacked("gzip", &gzip(body), 100).await.unwrap(), &body[..]);
        assert_eq!(unpacked("zstd", &zstd, 100).await.unwrap(), &body[..]);
        assert_eq!(unpacked("identity", body, 100).await.unwrap(), &body[..]);
    }

    #[tokio::test]
    async fn bombs_and_nonsense_are_refused() {
        let bomb = gzip(&vec![b' '; 8 << 20]);
        assert!(bomb.len() < 16 << 10);
        let reason = unpacked("gzip", &bomb, 1 << 20).await.unwrap_err();
        assert!(reason.contains("longer than 1048576 bytes"), "{reason}");
        for encoding in ["gzip", "deflate", "zstd", "br", "gzip, gzip"] {
            assert!(
                unpacked(encoding, b"nonsense", 100).await.is_err(),
                "{encoding}"
            );
        }
    }
}
