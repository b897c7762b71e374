//! The program against real servers. `tests/lab/lab.sh up` starts them; without them each test
//! says that it is skipped, unless KUBECTL_MAGNUM_LAB_REQUIRED is set (as `lab.sh test` does).

mod answers;
mod cloud;
mod compute;
mod controller_logs;
mod kube;
mod lab;
mod leftovers;
mod openstack;
mod peers;
mod plugin;
mod sign_in;
mod stories;
