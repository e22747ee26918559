//! The component's export. The name that it has in the binary is no symbol to a native linker, so a native build has
//! none.

use crate::bindings::exports::remit::fetch::fetch::{Form, Guest};
use crate::bindings::{self};
use crate::wasi::Granted;

struct Fetch;

impl Guest for Fetch {
    fn get(url: String, as_: Option<Form>, start: Option<u32>) -> Result<String, String> {
        let form = match as_.unwrap_or(Form::Text) {
            Form::Text => crate::Form::Text,
            Form::Raw => crate::Form::Raw,
            Form::Json => crate::Form::Json,
        };
        crate::Get { url, form, start: start.unwrap_or(0) as usize }.run(&Granted)
    }
}

bindings::export!(Fetch with_types_in bindings);
