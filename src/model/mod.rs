//! stub
pub mod api_error;
pub mod escape;
pub mod log;
pub mod status_reason;
