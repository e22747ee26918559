//! The component's exports. The names that they have in the binary are no symbols to a native linker, so a
//! native build has none.

use workspace::Workspace;

use crate::bindings::{self, exports::remit::search::search::Guest};

struct Search;

impl Guest for Search {
    fn grep(
        pattern: String,
        path: Option<String>,
        glob: Option<String>,
        context: Option<u32>,
        limit: Option<u32>,
        ignore_case: Option<bool>,
    ) -> Result<String, String> {
        crate::Grep { pattern, path, glob, context, limit, ignore_case }.run(&Workspace::granted())
    }
}

bindings::export!(Search with_types_in bindings);
