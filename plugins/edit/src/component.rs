//! The component's exports. The names that they have in the binary are no symbols to a native linker, so a
//! native build has none.

use workspace::Workspace;

use crate::bindings::{self, exports::remit::edit::edit::Guest};

struct Edit;

impl Guest for Edit {
    fn write_file(path: String, content: String) -> Result<String, String> {
        crate::write_file(&Workspace::granted(), &path, &content)
    }

    fn edit_file(path: String, old: String, new: String, all: Option<bool>) -> Result<String, String> {
        crate::edit_file(&Workspace::granted(), &path, &old, &new, all)
    }

    fn move_(from: String, to: String) -> Result<String, String> {
        crate::relocate(&Workspace::granted(), &from, &to)
    }

    fn delete(path: String, recursive: Option<bool>) -> Result<String, String> {
        crate::delete(&Workspace::granted(), &path, recursive)
    }

    fn apply_patch(patch: String) -> Result<String, String> {
        crate::apply_patch(&Workspace::granted(), &patch)
    }
}

bindings::export!(Edit with_types_in bindings);
