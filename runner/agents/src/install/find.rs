//! Looking for an agent's program.

use std::path::{Path, PathBuf};

use super::error::FindError;
use super::{Bind, GUEST_ROOT, Installation, Origin, executable, node, npm, package_version};
use crate::adapter::Adapter;

/// Where to look. Libraries read no environment: the caller does.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// What the operator named: a program, or the folder of an installation.
    pub given: Option<&'a Path>,
    /// Folder of installed agents ([`npm::install`]).
    pub cache: &'a Path,
    /// Folders of the `PATH`.
    pub path: &'a [PathBuf],
    /// The folder of the runner's own programs.
    pub own: Option<&'a Path>,
}

/// Finds the program of `adapter`: what the operator named, or else what was
/// installed last by [`npm::install`], or else what is on the `PATH`. A program
/// of Proctor's own is only ever looked for beside the runner.
///
/// # Errors
/// When there is none, or the one that is there cannot be in a room.
pub fn find(adapter: &Adapter, search: Search<'_>) -> Result<Installation, FindError> {
    if let Some(given) = search.given {
        return named(adapter, given, search);
    }
    if adapter.program().own {
        let mut beside = search.own.into_iter().flat_map(|dir| {
            let names = adapter.program().names.iter();
            names.map(move |name| dir.join(name))
        });
        return match beside.find(|path| executable(path)) {
            Some(path) => Ok(alone(adapter, &path, Origin::Own)),
            None => Err(FindError::OwnMissing {
                agent: adapter.name().to_owned(),
                programs: programs(adapter),
                own: search.own.map(Path::to_owned),
            }),
        };
    }
    if let Some(root) = npm::installed(search.cache, adapter) {
        let found = within(adapter, &root, Origin::Cache, search.path)?;
        return found.ok_or_else(|| FindError::Damaged {
            agent: adapter.name().to_owned(),
            programs: programs(adapter),
            root,
            install: installable(adapter),
        });
    }
    let on_path = search.path.iter().flat_map(|dir| {
        let names = adapter.program().names.iter();
        names.map(move |name| dir.join(name))
    });
    let mut refusal = None;
    for path in on_path.filter(|path| executable(path)) {
        match outside(adapter, &path, Origin::Path, search.path) {
            Ok(found) => return Ok(found),
            Err(error) => {
                refusal.get_or_insert(error);
            }
        }
    }
    Err(refusal.unwrap_or_else(|| missing(adapter, search.cache)))
}

fn missing(adapter: &Adapter, cache: &Path) -> FindError {
    FindError::Missing {
        agent: adapter.name().to_owned(),
        programs: programs(adapter),
        cache: cache.join(adapter.name()),
        install: installable(adapter),
    }
}

/// Names of the program, as prose.
fn programs(adapter: &Adapter) -> String {
    let program = adapter.program();
    // One that is on no PATH has places only.
    let words = if program.names.is_empty() {
        &program.paths
    } else {
        &program.names
    };
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(" or ")
}

/// What `proctor agent install` takes, where it can install the agent.
fn installable(adapter: &Adapter) -> Option<String> {
    adapter.package().map(|_| adapter.spec().to_owned())
}

/// What the operator named.
fn named(adapter: &Adapter, path: &Path, search: Search<'_>) -> Result<Installation, FindError> {
    let refuse = |problem: String| FindError::Given {
        path: path.to_owned(),
        problem,
    };
    let real = path
        .canonicalize()
        .map_err(|error| refuse(error.to_string()))?;
    if real.is_dir() {
        if is_around(&real, search.cache) {
            return Err(refuse(
                "this folder is around everything of yours: name the program".to_owned(),
            ));
        }
        let found = within(adapter, &real, Origin::Given, search.path)?;
        return found.ok_or_else(|| {
            let programs = programs(adapter);
            refuse(if adapter.program().names.is_empty() {
                format!("there is no {programs} in it")
            } else {
                format!("there is no {programs} in it, nor in its `bin` or `node_modules/.bin`")
            })
        });
    }
    if !executable(&real) {
        return Err(refuse(
            "expected a program, or the folder of an installation".to_owned(),
        ));
    }
    outside(adapter, path, Origin::Given, search.path)
}

/// Whether the cache of agents, and with it most likely the operator's home, lies
/// below `root`.
fn is_around(root: &Path, cache: &Path) -> bool {
    // The cache need not be there yet: so much of the way to it as is there.
    let there = cache.ancestors().find_map(|dir| dir.canonicalize().ok());
    root.parent().is_none()
        || cache.starts_with(root)
        || there.is_some_and(|there| there.starts_with(root))
}

/// The program in the folder `root`.
///
/// The folder is visible in the room as a whole where it is an installation: with
/// a `node_modules`, or with the program where the adapter says that one is. Of any
/// other, which may be full of what is none of the agent's business, the program
/// is taken as if it were on the `PATH`.
fn within(
    adapter: &Adapter,
    root: &Path,
    origin: Origin,
    search: &[PathBuf],
) -> Result<Option<Installation>, FindError> {
    let Ok(root) = root.canonicalize() else {
        return Ok(None);
    };
    let program = adapter.program();
    let modules = root.join("node_modules").symlink_metadata();
    let has_modules = modules.is_ok_and(|data| data.is_dir());
    let in_folders = program.names.iter().flat_map(|name| {
        ["node_modules/.bin", "bin", ""].map(|dir| (Path::new(dir).join(name), has_modules))
    });
    let known = program.paths.iter().map(|path| (PathBuf::from(path), true));
    let found = known
        .chain(in_folders)
        .map(|(place, is_whole)| (root.join(place), is_whole))
        .filter(|(path, _)| executable(path))
        // A link out of the folder leads nowhere in the room.
        .find_map(|(path, is_whole)| {
            let real = path.canonicalize().ok()?;
            let below = real.strip_prefix(&root).ok()?.to_owned();
            Some((real, below, is_whole))
        });
    let Some((real, below, is_whole)) = found else {
        return Ok(None);
    };
    if !is_whole {
        return outside(adapter, &real, origin, search).map(Some);
    }
    let guest_dir = format!("{GUEST_ROOT}/{}", adapter.name());
    let guest = format!("{guest_dir}/{}", below.display());
    let version = adapter
        .package()
        .and_then(|package| package_version(&root.join("node_modules").join(&package.npm)));
    let mut installation = Installation {
        origin,
        host_program: real.clone(),
        binds: vec![Bind {
            source: root.clone(),
            target: guest_dir.clone(),
        }],
        guest_dir: guest_dir.clone(),
        command: vec![guest],
        host_command: vec![real.clone()],
        version,
    };
    if node::is_script_of_node(&real) {
        if let Some(own) = node::own(&root) {
            installation.command.insert(0, format!("{guest_dir}/{own}"));
            installation.host_command.insert(0, root.join(own));
        } else {
            with_node(&mut installation, adapter, search)?;
        }
    }
    Ok(Some(installation))
}

/// A program that is somewhere: the smallest folder that it needs is found out.
fn outside(
    adapter: &Adapter,
    path: &Path,
    origin: Origin,
    search: &[PathBuf],
) -> Result<Installation, FindError> {
    let unfit = |problem: &str| FindError::Unfit {
        agent: adapter.name().to_owned(),
        path: path.to_owned(),
        problem: problem.to_owned(),
        install: installable(adapter),
    };
    let real = path
        .canonicalize()
        .map_err(|error| unfit(&error.to_string()))?;
    let Some(package) = package_of(&real) else {
        return match node::first_line(&real) {
            // An interpreter of the room's own reads a script that is all there is.
            Some(line) if !line.starts_with("/usr/bin/") && !line.starts_with("/bin/") => {
                Err(unfit("it is a script whose interpreter no room has"))
            }
            Some(_) if node::is_script_of_node(&real) => Err(unfit(
                "it is a script of Node.js that belongs to no package",
            )),
            Some(_) if !real.starts_with("/usr") && adapter.package().is_some() => Err(unfit(
                "it is a script, as the stand-ins of version managers are, and needs files that \
                 no room has",
            )),
            _ => Ok(alone(adapter, &real, origin)),
        };
    };
    let guest_dir = format!("{GUEST_ROOT}/{}", adapter.name());
    if package.is_linked {
        return Err(unfit(
            "it is installed as links between folders, which a room would need all",
        ));
    }
    let mut installation = Installation {
        origin,
        host_program: real.clone(),
        binds: Vec::new(),
        guest_dir: guest_dir.clone(),
        command: vec![real.to_string_lossy().into_owned()],
        host_command: vec![real.clone()],
        version: package_version(&package.dir),
    };
    if real.starts_with("/usr") {
        installation.guest_dir = package.dir.to_string_lossy().into_owned();
    } else {
        let source = if package.is_alone {
            package.dir.clone()
        } else {
            package.modules.clone()
        };
        let below = source
            .strip_prefix(&package.modules)
            .unwrap_or(Path::new(""));
        let target = Path::new(&guest_dir).join("node_modules").join(below);
        let rest = real.strip_prefix(&source).unwrap_or(Path::new(""));
        installation.command = vec![target.join(rest).to_string_lossy().into_owned()];
        installation.binds.push(Bind {
            source,
            target: target.to_string_lossy().trim_end_matches('/').to_owned(),
        });
    }
    if node::is_script_of_node(&real) {
        with_node(&mut installation, adapter, search)?;
    }
    Ok(installation)
}

/// A program that needs no other file of its own.
fn alone(adapter: &Adapter, real: &Path, origin: Origin) -> Installation {
    let real = real.canonicalize().unwrap_or_else(|_| real.to_owned());
    let name = adapter.program().names.first();
    let name = name.map_or_else(|| adapter.name(), String::as_str);
    let guest_dir = format!("{GUEST_ROOT}/{}", adapter.name());
    let (guest, binds) = if real.starts_with("/usr") {
        (real.to_string_lossy().into_owned(), Vec::new())
    } else {
        let target = format!("{guest_dir}/{name}");
        let bind = Bind {
            source: real.clone(),
            target: target.clone(),
        };
        (target, vec![bind])
    };
    Installation {
        origin,
        host_program: real.clone(),
        binds,
        guest_dir,
        command: vec![guest],
        host_command: vec![real],
        version: None,
    }
}

fn with_node(
    installation: &mut Installation,
    adapter: &Adapter,
    search: &[PathBuf],
) -> Result<(), FindError> {
    let node = node::on_path(adapter, search)?;
    installation.command.insert(0, node.guest);
    installation.host_command.insert(0, node.host);
    installation.binds.extend(node.bind);
    Ok(())
}

/// The npm package that a program belongs to.
struct PackageOf {
    /// The package's folder.
    dir: PathBuf,
    /// The `node_modules` that it lies in.
    modules: PathBuf,
    /// Whether it brings all that it needs itself, as globally installed ones
    /// do. What lies beside it is then none of the agent's business.
    is_alone: bool,
    /// Whether its neighbours are links (pnpm).
    is_linked: bool,
}

fn package_of(program: &Path) -> Option<PackageOf> {
    // The outermost: what is installed inside of a package belongs to it.
    let modules = program
        .ancestors()
        .filter(|dir| dir.file_name().is_some_and(|name| name == "node_modules"))
        .last()?
        .to_owned();
    let mut parts = program.strip_prefix(&modules).ok()?.components();
    let first = parts.next()?;
    let mut dir = modules.join(first);
    if first.as_os_str().to_string_lossy().starts_with('@') {
        dir.push(parts.next()?);
    }
    let is_linked = first.as_os_str() == ".pnpm";
    // A local installation keeps a list of what it has put there.
    let is_alone = !modules.join(".package-lock.json").exists();
    Some(PackageOf {
        dir,
        modules,
        is_alone,
        is_linked,
    })
}
