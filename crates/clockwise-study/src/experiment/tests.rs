//! Files that are right, and files that are wrong in each way.

use super::*;

#[test]
fn the_catalogue_is_read_and_each_file_has_the_name_of_its_experiment() {
    for (experiment, name) in catalogue().unwrap().iter().zip(names()) {
        assert_eq!(experiment.name, name);
        assert!(!experiment.runs(Scale::Quick, 1).is_empty());
    }
}
