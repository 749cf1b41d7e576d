//! The authority of one trial, and the certificates it mints while clients
//! knock.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, SerialNumber,
};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SigningKey, SingleCertAndKey};

use super::GatewayError;

/// Names whose certificates are kept. Minting another one takes some 60 us, so
/// a client that asks for more names only loses that.
const CACHED_NAMES: usize = 1024;
/// How long certificates are good for. They live as long as their trial; some
/// clients refuse leaves of more than 398 days.
const VALID_DAYS: i64 = 30;
/// Longest common name (X.520, `ub-common-name`).
const COMMON_NAME_CHARS: usize = 64;

/// A certificate authority that exists for one trial only.
///
/// All leaves share one key: making a key takes longer than signing, and who
/// holds one key of this process holds them all.
pub(super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    leaf: KeyPair,
    signing: Arc<dyn SigningKey>,
    /// What all connections share: suites, protocols, session storage.
    base: ServerConfig,
    serial: AtomicU64,
    cache: Mutex<HashMap<String, Arc<ServerConfig>>>,
}

impl Authority {
    pub(super) fn new() -> Result<Self, GatewayError> {
        let key = KeyPair::generate()?;
        let mut params = params("Proctor trial authority", Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.serial_number = Some(SerialNumber::from(1));
        let pem = params.self_signed(&key)?.pem();

        let leaf = KeyPair::generate()?;
        let der = PrivateKeyDer::try_from(leaf.serialize_der())
            .map_err(|problem| GatewayError::Key(problem.to_owned()))?;
        let signing = rustls::crypto::ring::sign::any_ecdsa_type(&der)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut base = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(NoCertificate));
        base.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            issuer: Issuer::new(params, key),
            pem,
            leaf,
            signing,
            base,
            serial: AtomicU64::new(2),
            cache: Mutex::default(),
        })
    }

    /// The authority's certificate.
    pub(super) fn pem(&self) -> &str {
        &self.pem
    }

    /// What a connection to `name` (a host name, or an address where the
    /// client named no host) is served with.
    pub(super) fn config_for(&self, name: &str) -> Result<Arc<ServerConfig>, GatewayError> {
        if let Some(config) = self.cache().get(name) {
            return Ok(Arc::clone(config));
        }
        let chain = vec![self.mint(name)?];
        let certified = CertifiedKey::new(chain, Arc::clone(&self.signing));
        let mut config = self.base.clone();
        config.cert_resolver = Arc::new(SingleCertAndKey::from(certified));
        let config = Arc::new(config);
        let mut cache = self.cache();
        if cache.len() >= CACHED_NAMES {
            cache.clear();
        }
        cache.insert(name.to_owned(), Arc::clone(&config));
        Ok(config)
    }

    fn mint(&self, name: &str) -> Result<CertificateDer<'static>, GatewayError> {
        let common_name: String = name.chars().take(COMMON_NAME_CHARS).collect();
        let mut params = params(&common_name, vec![name.to_owned()])?;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        // By default the serial follows from the key, which all leaves share;
        // two certificates of one issuer with one serial are refused by some.
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        params.serial_number = Some(SerialNumber::from(serial));
        Ok(params.signed_by(&self.leaf, &self.issuer)?.der().clone())
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<String, Arc<ServerConfig>>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stands in until the client has said which name it wants.
#[derive(Debug)]
struct NoCertificate;

impl rustls::server::ResolvesServerCert for NoCertificate {
    fn resolve(&self, _hello: rustls::server::ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        None
    }
}

fn params(common_name: &str, names: Vec<String>) -> Result<CertificateParams, GatewayError> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = DistinguishedName::new();
    params
        .distinguished_name
        .push(DnType::CommonName, common_name);
    // Clients judge these by the real clock, not by the world's.
    let now = Timestamp::now();
    let midnight = |days: i64| {
        let day = now.checked_add((days * 24).hours()).unwrap_or(now);
        let day = day.to_zoned_datetime(TimeZone::UTC).date();
        rcgen::date_time_ymd(
            day.year().into(),
            day.month().unsigned_abs(),
            day.day().unsigned_abs(),
        )
    };
    params.not_before = midnight(-1);
    params.not_after = midnight(VALID_DAYS);
    Ok(params)
}
