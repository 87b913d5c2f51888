//! The files of the repository.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The top folder. `cargo run` says where the package lies, wherever it was compiled.
pub(crate) fn root() -> PathBuf {
    let package =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    package.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// One file: its path from the top, with `/` between folders, and what it holds.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

impl File {
    /// The text, unless it is something else.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|text| !text.contains('\0'))
    }
}

/// Every file that is, or could next be, committed: all but `.git` and the folders that `.gitignore` names.
/// Git itself is not asked, so that a source archive is checked the same way.
pub(crate) fn files(root: &Path) -> io::Result<Vec<File>> {
    let ignored = fs::read_to_string(root.join(".gitignore"))?;
    let mut skipped: Vec<&str> = ignored.lines().filter_map(|line| line.strip_suffix('/')).collect();
    skipped.push(".git");
    let mut files = Vec::new();
    walk(root, "", &skipped, &mut files)?;
    Ok(files)
}

fn walk(folder: &Path, prefix: &str, skipped: &[&str], files: &mut Vec<File>) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        // In a second worktree `.git` is a file.
        if skipped.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), skipped, files)?;
        } else if kind.is_file() {
            files.push(File { path, bytes: fs::read(entry.path())? });
        }
    }
    Ok(())
}
