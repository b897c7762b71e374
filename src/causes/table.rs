//! The table of causes, in the order in which equal ones are named.

use super::Cause;
use super::{
    application_credential_gone, credential_read_forbidden, credential_secret_missing,
    keystone_ca_not_trusted, login_refused, openstack_api_down, owner_deleted, owner_disabled,
    owner_lost_roles, project_deleted, project_disabled, quota_used_up,
};

/// Every cause.
pub static ALL: &[&Cause] = &[
    &owner_deleted::CAUSE,
    &project_deleted::CAUSE,
    &project_disabled::CAUSE,
    &owner_disabled::CAUSE,
    &application_credential_gone::CAUSE,
    &credential_secret_missing::CAUSE,
    &owner_lost_roles::CAUSE,
    &login_refused::CAUSE,
    &keystone_ca_not_trusted::CAUSE,
    &openstack_api_down::CAUSE,
    &quota_used_up::CAUSE,
    &credential_read_forbidden::CAUSE,
];
