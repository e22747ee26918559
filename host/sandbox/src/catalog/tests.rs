use remit_pack::Docs;
use serde_json::json;
use wasmtime::component::{Component, Linker, Val};
use wasmtime::{Engine, Store, Trap};

use super::*;
use crate::codec::{decode_arguments, encode_result};

fn load(engine: &Engine, wat: &str) -> Component {
    let bytes = wat::parse_str(wat).unwrap();
    Component::new(engine, bytes).unwrap()
}

fn read_as(plugin: &str, wat: &str, docs: Option<&Docs>) -> Result<Catalog, CatalogError> {
    let engine = Engine::default();
    Catalog::read(&engine, &load(&engine, wat), plugin, docs)
}

fn read(wat: &str) -> Result<Catalog, CatalogError> {
    read_as("plug", wat, None)
}

fn docs(wit: &str) -> Docs {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("world.wit"), wit).unwrap();
    Docs::from_wit_dir(folder.path()).unwrap()
}

fn zoo() -> Catalog {
    let docs = docs(include_str!("tests/zoo.wit"));
    read_as("zoo", include_str!("tests/zoo.wat"), Some(&docs)).unwrap()
}

/// A component that exports `run`, a function without parameters, wherever `exports` puts it.
fn with_run(exports: &str) -> String {
    format!(
        r#"(component
            (core module $code (func (export "run")))
            (core instance $code (instantiate $code))
            (func $run (canon lift (core func $code "run")))
            (instance $runs (export "run" (func $run)))
            {exports})"#
    )
}

fn names(catalog: &Catalog) -> Vec<(&str, &str)> {
    catalog.tools.iter().map(|tool| (&*tool.name, &*tool.wire_name)).collect()
}

mod types {
    use super::*;

    #[test]
    fn every_type_has_a_schema() {
        let zoo = zoo();
        let tools: Vec<_> = zoo
            .tools
            .iter()
            .map(|tool| json!({ "name": tool.name, "description": tool.description, "parameters": tool.input_schema }))
            .collect();
        insta::assert_json_snapshot!(tools);
        assert_eq!(zoo.skipped, []);
        assert_eq!(zoo.warnings, ["without a description, so that a model has to guess: zoo.undocumented"]);
    }

    #[test]
    fn arguments_that_fit_the_schema_become_values() {
        let zoo = zoo();
        let tool = zoo.tools.iter().find(|tool| tool.name == "zoo.list_files").unwrap();
        let text =
            r#"{"filter":{"by_size":[1,2]},"path":"a","options":{"kinds":["sym_link"],"permissions":[]}}"#;
        let options = Val::Record(vec![
            ("max-depth".into(), Val::Option(None)),
            ("kinds".into(), Val::List(vec![Val::Enum("sym-link".into())])),
            ("permissions".into(), Val::Flags(vec![])),
        ]);
        let by_size = Val::Tuple(vec![Val::U64(1), Val::U64(2)]);
        let expected = [
            Val::String("a".into()),
            Val::Option(Some(Box::new(options))),
            Val::Variant("by-size".into(), Some(Box::new(by_size))),
        ];
        assert_eq!(decode_arguments(&tool.params, text).unwrap(), expected);
        let result = Val::Result(Err(Some(Box::new(Val::String("no".into())))));
        assert!(encode_result(tool.result.as_ref().map(|shape| (result, shape)), 100).unwrap().is_error);
    }

    #[test]
    fn decoded_arguments_are_what_the_component_takes() {
        let engine = Engine::default();
        let component = load(&engine, include_str!("tests/zoo.wat"));
        let zoo = Catalog::read(&engine, &component, "zoo", None).unwrap();
        for (name, arguments) in [
            (
                "zoo.integers",
                r#"{"a":-128,"b":255,"c":0,"d":0,"e":0,"f":0,"g":-9223372036854775808,"h":18446744073709551615}"#,
            ),
            (
                "zoo.plain",
                r#"{"flag":true,"single":"NaN","double":1e300,"letter":"é","text":"测","data":"AAEC"}"#,
            ),
            (
                "zoo.list_files",
                r#"{"path":"","filter":"none","options":{"kinds":["file"],"permissions":["write","read"]}}"#,
            ),
            ("zoo.list_files", r#"{"path":"","filter":{"by_name":"*"},"options":null}"#),
            (
                "zoo.nested",
                r#"{"twice":{"some":null},"either":{"err":"x"},"outcome":"ok","pair":["a","file"],"same":[1,2],"grid":[[],[null,true]]}"#,
            ),
            ("zoo.undocumented", ""),
        ] {
            let tool = zoo.tools.iter().find(|tool| tool.name == name).unwrap();
            let arguments = decode_arguments(&tool.params, arguments).unwrap();
            let mut store = Store::new(&engine, ());
            let instance = Linker::new(&engine).instantiate(&mut store, &component).unwrap();
            let function = instance.get_func(&mut store, tool.export).unwrap();
            let mut results = vec![Val::Bool(false); usize::from(tool.result.is_some())];
            let error = function.call(&mut store, &arguments, &mut results).unwrap_err();
            assert_eq!(error.downcast_ref(), Some(&Trap::UnreachableCodeReached), "{name}: {error:#}");
        }
    }

    #[test]
    fn a_function_of_a_resource_is_skipped_by_name_and_the_others_stay() {
        let catalog = read(
            r#"(component
                (core module $code
                    (func (export "take") (param i32))
                    (func (export "run")))
                (core instance $code (instantiate $code))
                (type $cursor (resource (rep i32)))
                (export $cursor' "cursor" (type $cursor))
                (func (export "take") (param "it" (own $cursor')) (canon lift (core func $code "take")))
                (func (export "[static]cursor.open") (canon lift (core func $code "run")))
                (func (export "run") (canon lift (core func $code "run"))))"#,
        )
        .unwrap();
        assert_eq!(names(&catalog), [("plug.run", "plug__run")]);
        let skipped: Vec<String> = catalog
            .skipped
            .iter()
            .map(|it| format!("{} ({}): {}", it.name, it.function, it.reason))
            .collect();
        insta::assert_snapshot!(skipped.join("\n"));
    }

    /// Each type has ten fields of the one before, so a short component has types without end.
    pub(super) fn tower(levels: usize, width: usize) -> String {
        let mut types = String::from("(type $t0 (tuple u8 u8))\n(export $e0 \"t0\" (type $t0))\n");
        for level in 1..levels {
            let below = level - 1;
            let fields: String =
                (0..width).map(|index| format!("(field \"part{index}\" $e{below})")).collect();
            types.push_str(&format!(
                "(type $t{level} (record {fields}))\n(export $e{level} \"t{level}\" (type $t{level}))\n"
            ));
        }
        format!(
            r#"(component
                (core module $code
                    (memory (export "memory") 1)
                    (func (export "realloc") (param i32 i32 i32 i32) (result i32) unreachable)
                    (func (export "build") (param i32 i32) unreachable))
                (core instance $code (instantiate $code))
                {types}
                (func (export "build") (param "it" (list $e{}))
                    (canon lift (core func $code "build")
                        (memory $code "memory") (realloc (func $code "realloc")))))"#,
            levels - 1
        )
    }

    #[test]
    fn types_without_end_are_skipped_and_not_written_out() {
        for (wat, reason) in [
            (tower(40, 1), "its types nest deeper than 32 levels"),
            (tower(6, 10), "its types take more than 256 KiB to describe"),
        ] {
            let catalog = read(&wat).unwrap();
            assert_eq!(names(&catalog), []);
            assert_eq!(catalog.skipped.len(), 1);
            assert_eq!(catalog.skipped[0].reason, reason);
        }
        assert_eq!(names(&read(&tower(3, 2)).unwrap()), [("plug.build", "plug__build")]);
    }
}

mod naming {
    use super::*;

    #[test]
    fn what_componentize_py_leaves_behind_is_no_tool_and_an_authors_own_init_is_one() {
        let component = |interface: &str, last: &str| {
            format!(
                r#"(component
                    (core module $code
                        (memory (export "memory") 1)
                        (func (export "realloc") (param i32 i32 i32 i32) (result i32) i32.const 0)
                        (func (export "init") (param i32 i32 i32 i32) (result i32) i32.const 0))
                    (core instance $code (instantiate $code))
                    (type $symbols (record (field "exports" bool)))
                    (export $named "symbols" (type $symbols))
                    (func $init (param "app-name" string) (param "symbols" $named) (param "{last}" bool)
                        (result (result (error string)))
                        (canon lift (core func $code "init") (memory $code "memory")
                            (realloc (func $code "realloc"))))
                    (instance $own (export "symbols" (type $named)) (export "init" (func $init)))
                    (export "{interface}" (instance $own))
                    (export "init" (func $init)))"#
            )
        };
        let catalog = read(&component("exports", "stub-wasi")).unwrap();
        assert_eq!(names(&catalog), [("plug.init", "plug__init")], "the one that belongs to no interface");
        let [skipped] = &catalog.skipped[..] else { panic!("{:?}", catalog.skipped) };
        assert_eq!((skipped.name.as_str(), skipped.function.as_str()), ("plug.init", "exports#init"));
        assert!(skipped.reason.contains("componentize-py"), "{skipped:?}");
        for (interface, last) in [("own", "stub-wasi"), ("exports", "stub-wasm")] {
            let catalog = read(&component(interface, last)).unwrap();
            assert_eq!((catalog.tools.len(), catalog.skipped.len()), (2, 0), "{interface} {last}");
        }
    }

    #[test]
    fn a_function_of_an_interface_or_of_none_becomes_a_tool() {
        let inside = read(&with_run(r#"(export "a:b/c@1.0.0" (instance $runs))"#)).unwrap();
        assert_eq!(names(&inside), [("plug.run", "plug__run")]);
        let alone = read(&with_run(r#"(export "read-IT" (func $run))"#)).unwrap();
        assert_eq!(names(&alone), [("plug.read_it", "plug__read_it")]);
    }

    #[test]
    fn functions_of_one_name_are_told_apart_by_their_interface() {
        let catalog = read(&with_run(
            r#"(export "a:b/first-one@1.0.0" (instance $runs))
               (export "second" (instance $runs))
               (export "run" (func $run))"#,
        ))
        .unwrap();
        let expected = [
            ("plug.first_one.run", "plug__first_one__run"),
            ("plug.second.run", "plug__second__run"),
            ("plug.run", "plug__run"),
        ];
        assert_eq!(names(&catalog), expected);
    }

    #[test]
    fn what_cannot_be_named_is_refused() {
        let clash =
            with_run(r#"(export "a:b/c@1.0.0" (instance $runs)) (export "x:y/c@1.0.0" (instance $runs))"#);
        let long = with_run(&format!(r#"(export "{}" (func $run))"#, "a".repeat(60)));
        let later = with_run(r#"(export "remit:files/files@0.2.0" (instance $runs))"#);
        let run = with_run(r#"(export "run" (func $run))"#);
        let refusals = [
            read(&clash),
            read(&long),
            read(&later),
            read_as("Plug", &run, None),
            read_as("\u{1b}[0m", &run, None),
            read_as("task", &run, None),
        ];
        let text: Vec<String> = refusals.map(|refusal| refusal.unwrap_err().to_string()).into();
        insta::assert_snapshot!(text.join("\n"));
        let same_line = with_run(r#"(export "remit:files/files@0.1.9" (instance $runs))"#);
        assert!(read(&same_line).is_ok());
    }

    #[test]
    fn a_component_without_functions_says_what_it_has_instead() {
        let text = [
            "(component)",
            r#"(component (type $t (enum "a")) (export "kind" (type $t)) (core module $m) (export "code" (core module $m)))"#,
            r#"(component (instance $i) (export "a:b/empty" (instance $i)))"#,
        ]
        .map(|wat| read(wat).unwrap_err().to_string())
        .join("\n");
        insta::assert_snapshot!(text);
    }
}

mod documentation {
    use super::*;

    const WIT: &str = "package a:b@1.0.0;\ninterface c {\n/// DOC\nrun: func(); }";

    #[test]
    fn it_is_found_for_a_component_of_another_version() {
        let run = with_run(r#"(export "a:b/c@1.2.0" (instance $runs))"#);
        let catalog = read_as("plug", &run, Some(&docs(WIT))).unwrap();
        assert_eq!(catalog.tools[0].description, "DOC");
        assert_eq!(catalog.warnings, Vec::<String>::new());
    }

    #[test]
    fn too_much_of_it_is_left_out_and_the_tool_stays() {
        // What is said about a type is repeated at each of its uses.
        let fields = |comment: &str, ty: &str| -> String {
            (0..40).map(|index| format!("{comment}\npart{index}: {ty},\n")).collect()
        };
        let long = format!("/// {}", "long ".repeat(500));
        let wit = format!(
            "package a:b;\nworld w {{ record t1 {{ {} }} record t2 {{ {} }}\n/// Builds.\nexport build: func(it: list<t2>); }}",
            fields(&long, "tuple<u8, u8>"),
            fields("", "t1")
        );
        let catalog = read_as("plug", &types::tower(3, 40), Some(&docs(&wit))).unwrap();
        assert_eq!(
            catalog.warnings,
            ["`plug.build`: what is said about its parameters is too long and left out"]
        );
        assert_eq!(catalog.tools[0].description, "Builds.");
        assert!(!catalog.tools[0].input_schema.to_string().contains("long"));
    }

    #[test]
    fn what_acts_on_a_terminal_is_inert() {
        let json = br#"{"v":1,"functions":{"run":{"doc":"a\u001b[2J\u202eb"}}}"#;
        let name = b"remit:docs";
        let mut component = wat::parse_str(with_run(r#"(export "run" (func $run))"#)).unwrap();
        component.extend([0, (1 + name.len() + json.len()) as u8, name.len() as u8]);
        component.extend(name.iter().chain(json));
        let docs = Docs::from_component(&component).unwrap().unwrap();
        let engine = Engine::default();
        let component = Component::new(&engine, component).unwrap();
        let catalog = Catalog::read(&engine, &component, "plug", Some(&docs)).unwrap();
        assert_eq!(catalog.tools[0].description, "a\\u{1b}[2J\\u{202e}b");
    }
}
