//! The component's exports. The names that they have in the binary are no symbols to a native linker, so a
//! native build has none.

use workspace::Workspace;

use crate::bindings::{self, exports::remit::files::files::Guest};

struct Files;

impl Guest for Files {
    fn list_files(path: Option<String>, depth: Option<u32>) -> Result<String, String> {
        crate::list_files(&Workspace::granted(), path.as_deref(), depth)
    }

    fn find_files(pattern: String, path: Option<String>) -> Result<String, String> {
        crate::find_files(&Workspace::granted(), &pattern, path.as_deref())
    }

    fn read_file(path: String, start: Option<u32>, lines: Option<u32>) -> Result<String, String> {
        crate::read_file(&Workspace::granted(), &path, start, lines)
    }
}

bindings::export!(Files with_types_in bindings);
