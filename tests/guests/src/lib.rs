//! What several guests share. A guest itself is one file in examples/.

pub mod words;

/// Makes a component of one function: `guests::single!(run);`, with `fn run(argument: &str) -> Result<String, String>`.
#[macro_export]
macro_rules! single {
    ($run:path) => {
        struct Single;

        impl bindings::exports::test::guest::guest::Guest for Single {
            fn run(argument: String) -> Result<String, String> {
                $run(&argument)
            }
        }

        bindings::export!(Single with_types_in bindings);
    };
}
