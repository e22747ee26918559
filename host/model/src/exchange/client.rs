//! The HTTP client: proxies, certificates and waiting as users of curl expect them.

use std::env;
use std::path::Path;

use reqwest::{Certificate, Client, redirect};

use crate::exchange::{Endpoint, Timeouts};
use crate::{ModelError, file};

/// Variables that name a file of further certificates to trust, PEM.
const CERTIFICATE_VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "CURL_CA_BUNDLE"];

/// The largest such file, in bytes: some thousand authorities.
const MAX_CERTIFICATES: u64 = 16 << 20;

/// A client for requests to `endpoint`. `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in capitals or not, say
/// what goes through a proxy; nothing to this machine does.
///
/// # Errors
///
/// [`ModelError::Configuration`] for a file of certificates that can't be read; the client's own words otherwise.
pub(super) fn client(endpoint: &Endpoint, timeouts: &Timeouts) -> Result<Client, ClientError> {
    // An error means that a provider of cryptography is there already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .user_agent(concat!("remit/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .connect_timeout(timeouts.connect);
    if endpoint.is_local() {
        builder = builder.no_proxy();
    }
    if endpoint.url().scheme() == "http" {
        // No certificate will be looked at.
        builder = builder.tls_certs_only([]);
    } else {
        for variable in CERTIFICATE_VARIABLES {
            if let Some(path) = env::var_os(variable).filter(|path| !path.is_empty()) {
                builder = builder.tls_certs_merge(certificates(variable, Path::new(&path))?);
            }
        }
    }
    Ok(builder.build()?)
}

pub(super) enum ClientError {
    Certificates(ModelError),
    Build(reqwest::Error),
}

impl From<ModelError> for ClientError {
    fn from(error: ModelError) -> ClientError {
        ClientError::Certificates(error)
    }
}

impl From<reqwest::Error> for ClientError {
    fn from(error: reqwest::Error) -> ClientError {
        ClientError::Build(error)
    }
}

fn certificates(variable: &str, path: &Path) -> Result<Vec<Certificate>, ModelError> {
    let bad = |why: String| ModelError::Configuration {
        message: format!("{variable}: {} can't be used as certificates: {why}", path.display()),
    };
    let bytes = file::read(path, MAX_CERTIFICATES).map_err(|error| bad(error.to_string()))?;
    let certificates = Certificate::from_pem_bundle(&bytes).map_err(|error| bad(error.to_string()))?;
    if certificates.is_empty() {
        return Err(bad("it holds none".to_owned()));
    }
    Ok(certificates)
}
