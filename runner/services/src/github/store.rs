//! Where the objects of a repository lie: bare repositories on disk, in layers.
//!
//! A layer is a bare repository of its own whose `objects/info/alternates` name
//! the layers below it. Only the uppermost one is ever written, and only while
//! nobody else holds it; otherwise a new layer is put on top first. So copies
//! of a world share what they have in common (and the seed's objects with every
//! other world of the same seed) without ever seeing each other's writes, and a
//! world that only reads writes nothing to disk. A layer's directory goes away
//! with its last holder.
//!
//! Refs are not here: they are part of the repository's state, and are written
//! into a layer only for git's own programs to read.

use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use git2::{Oid, Repository};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Settings of every layer. They pin what libgit2 and git would else take from
/// the settings of whoever runs Proctor.
const CONFIG: &str = "\
[core]
\trepositoryformatversion = 0
\tbare = true
\tfilemode = true
\thooksPath = /dev/null
\tquotePath = true
\tabbrev = 7
[diff]
\talgorithm = myers
\tcontext = 3
\tnoprefix = false
\tmnemonicPrefix = false
\trenames = true
[merge]
\tconflictStyle = merge
[gc]
\tauto = 0
[receive]
\tfsckObjects = true
\thideRefs = refs/pull
\tautogc = false
\tunpackLimit = 1
\tmaxInputSize = 67108864
[http]
\treceivepack = true
\tgetanyfile = false
[uploadpack]
\tallowFilter = true
\tallowTipSHA1InWant = true
\tallowReachableSHA1InWant = true
[pack]
\tthreads = 1
";

/// One bare repository on disk.
#[derive(Debug)]
pub(crate) struct Layer {
    dir: tempfile::TempDir,
    /// Layers that this one builds on: every one of them, nearest first.
    below: Vec<Arc<Layer>>,
}

impl Layer {
    fn create(below: Vec<Arc<Self>>) -> std::io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("proctor-git-").tempdir()?;
        let root = dir.path();
        for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
            std::fs::create_dir_all(root.join(folder))?;
        }
        std::fs::write(root.join("HEAD"), "ref: refs/heads/main\n")?;
        std::fs::write(root.join("config"), CONFIG)?;
        let mut alternates = String::new();
        for layer in &below {
            alternates.push_str(&layer.dir.path().join("objects").to_string_lossy());
            alternates.push('\n');
        }
        if !alternates.is_empty() {
            std::fs::write(root.join("objects/info/alternates"), alternates)?;
        }
        Ok(Self { dir, below })
    }
}

/// The objects of one repository.
#[derive(Debug, Clone)]
pub(crate) struct Objects {
    top: Arc<Layer>,
}

impl Objects {
    /// A store without objects.
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self {
            top: Arc::new(Layer::create(Vec::new())?),
        })
    }

    /// The store whose uppermost layer is `top`.
    pub(crate) fn on(top: Arc<Layer>) -> Self {
        Self { top }
    }

    /// The uppermost layer.
    pub(crate) fn top(&self) -> &Arc<Layer> {
        &self.top
    }

    /// Opens the store for reading.
    pub(crate) fn open(&self) -> Result<Repository, git2::Error> {
        Repository::open_bare(self.top.dir.path())
    }

    /// Opens the store for writing.
    pub(crate) fn writable(&mut self) -> Result<Repository, git2::Error> {
        self.own().map_err(|error| {
            git2::Error::from_str(&format!("cannot make room for objects: {error}"))
        })?;
        self.open()
    }

    /// Directory of a bare repository with all the objects, into which git may
    /// write further ones.
    pub(crate) fn own(&mut self) -> std::io::Result<&Path> {
        if Arc::get_mut(&mut self.top).is_none() {
            let mut below = vec![Arc::clone(&self.top)];
            below.extend(self.top.below.iter().map(Arc::clone));
            self.top = Arc::new(Layer::create(below)?);
        }
        Ok(self.top.dir.path())
    }

    /// All objects as one pack. Equal objects give equal bytes.
    fn pack(&self) -> Result<Vec<u8>, git2::Error> {
        let repository = self.open()?;
        let mut ids = Vec::new();
        repository.odb()?.foreach(|id| {
            ids.push(*id);
            true
        })?;
        ids.sort_unstable();
        ids.dedup();
        let mut builder = repository.packbuilder()?;
        builder.set_threads(1);
        for id in ids {
            builder.insert_object(id, None)?;
        }
        let mut pack = git2::Buf::new();
        builder.write_buf(&mut pack)?;
        Ok(pack.to_vec())
    }

    fn unpack(pack: &[u8]) -> Result<Self, git2::Error> {
        let made = Self::new();
        let mut objects = made.map_err(|error| git2::Error::from_str(&error.to_string()))?;
        if !pack.is_empty() {
            let repository = objects.writable()?;
            let odb = repository.odb()?;
            let mut writer = odb.packwriter()?;
            std::io::Write::write_all(&mut writer, pack)
                .map_err(|error| git2::Error::from_str(&error.to_string()))?;
            writer.commit()?;
        }
        Ok(objects)
    }
}

impl Serialize for Objects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pack = self.pack().map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&STANDARD.encode(pack))
    }
}

impl<'de> Deserialize<'de> for Objects {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let pack = STANDARD.decode(text).map_err(serde::de::Error::custom)?;
        Self::unpack(&pack).map_err(serde::de::Error::custom)
    }
}

/// An object id as it stands in requests and refs.
pub(crate) fn oid(hex: &str) -> Option<Oid> {
    (hex.len() == 40).then(|| Oid::from_str(hex).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(objects: &mut Objects, text: &str) -> Oid {
        objects.writable().unwrap().blob(text.as_bytes()).unwrap()
    }

    fn has(objects: &Objects, id: Oid) -> bool {
        objects.open().unwrap().find_blob(id).is_ok()
    }

    #[test]
    fn copies_do_not_see_what_the_other_writes() {
        let mut first = Objects::new().unwrap();
        let common = blob(&mut first, "common");
        let mut second = first.clone();
        let of_first = blob(&mut first, "first");
        let of_second = blob(&mut second, "second");
        assert!(has(&first, common) && has(&second, common));
        assert!(has(&first, of_first) && !has(&second, of_first));
        assert!(has(&second, of_second) && !has(&first, of_second));
    }

    #[test]
    fn a_layer_lasts_as_long_as_somebody_builds_on_it() {
        let mut first = Objects::new().unwrap();
        let common = blob(&mut first, "common");
        let place = first.top.dir.path().to_owned();
        let mut second = first.clone();
        blob(&mut second, "more");
        drop(first);
        assert!(has(&second, common) && place.exists());
        drop(second);
        assert!(!place.exists());
    }

    #[test]
    fn a_store_survives_a_round_trip_with_equal_bytes() {
        let mut objects = Objects::new().unwrap();
        let id = blob(&mut objects, "kept");
        let text = serde_json::to_string(&objects).unwrap();
        let back: Objects = serde_json::from_str(&text).unwrap();
        assert!(has(&back, id));
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }
}
