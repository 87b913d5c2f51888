//! The answers of gomemcache.

use clockwise::dialect::gomemcache;

use crate::record::{at_host, check};

#[test]
fn every_recorded_owner_of_gomemcache() {
    check("gomemcache/gomemcache.json", 2_400, at_host, |_| gomemcache::Options::default());
}
