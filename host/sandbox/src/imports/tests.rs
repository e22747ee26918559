use super::*;

fn load(engine: &Engine, wat: &str) -> Component {
    Component::new(engine, wat::parse_str(wat).unwrap()).unwrap()
}

fn importing(name: &str) -> String {
    format!(r#"(component (import "{name}" (instance (export "f" (func)))))"#)
}

#[test]
fn an_import_that_the_host_cannot_satisfy_is_refused_by_name() {
    let engine = Engine::default();
    let refusals = [
        "wasi:http/incoming-handler@0.2.6",
        "wasi:filesystem/types@0.3.0",
        "wasi:filesystem/types@0.2.0-rc-2023-11-10",
        "wasi:filesystem/types",
        "wasi:keyvalue/store@0.2.0",
        "remit:role/judge@9.0.0",
        "remit:command/command@9.0.0",
        "remit:command/command",
        "acme:tools/secret@1.0.0",
        "plain",
    ]
    .map(|name| {
        let unknown = unknown(&engine, &load(&engine, &importing(name)));
        assert_eq!(unknown.len(), 1, "{name}");
        unknown[0].to_string()
    });
    insta::assert_snapshot!(refusals.join("\n"));
    let function = load(&engine, r#"(component (import "call-home" (func)))"#);
    assert_eq!(unknown(&engine, &function)[0].to_string(), "`call-home`: the host does not know it");
}

#[test]
fn known_wasi_and_shared_types_are_not_refused() {
    let engine = Engine::default();
    for name in KNOWN.map(|(name, _)| name) {
        for patch in ["0", "6", "99"] {
            let component = load(&engine, &importing(&format!("{name}@0.2.{patch}")));
            assert_eq!(unknown(&engine, &component), [], "{name}@0.2.{patch}");
        }
    }
    let types = r#"(component (import "acme:tools/types@1.0.0" (instance
        (type $kind (enum "a")) (export "kind" (type (eq $kind))))))"#;
    let component = load(&engine, types);
    assert_eq!(unknown(&engine, &component), []);
    assert_eq!(imports(&engine, &component)[0].kind, ImportKind::Types);
}

#[test]
fn an_import_tells_what_it_could_touch() {
    let engine = Engine::default();
    let kind = |name: &str| imports(&engine, &load(&engine, &importing(name)))[0].kind;
    assert_eq!(kind("wasi:filesystem/preopens@0.2.6"), ImportKind::Filesystem);
    assert_eq!(kind("wasi:sockets/tcp@0.2.6"), ImportKind::Network);
    assert_eq!(kind("wasi:http/types@0.2.6"), ImportKind::Http);
    assert_eq!(kind("wasi:cli/stdout@0.2.6"), ImportKind::Stdio);
    assert_eq!(kind("remit:command/command@0.1.0"), ImportKind::Command);
    assert_eq!(kind("acme:tools/secret@1.0.0"), ImportKind::Unknown);
}

/// The list says what the two crates provide; here it is asked.
#[test]
fn the_list_is_what_the_linker_has() {
    struct Empty(wasmtime_wasi::WasiCtx, wasmtime_wasi::ResourceTable);
    impl wasmtime_wasi_http::WasiHttpView for Empty {
        fn http(&mut self) -> wasmtime_wasi_http::WasiHttpCtxView<'_> {
            unreachable!("nothing is called")
        }
    }
    impl wasmtime_wasi::WasiView for Empty {
        fn ctx(&mut self) -> wasmtime_wasi::WasiCtxView<'_> {
            wasmtime_wasi::WasiCtxView { ctx: &mut self.0, table: &mut self.1 }
        }
    }
    let engine = Engine::default();
    let mut linker = wasmtime::component::Linker::<Empty>::new(&engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker).unwrap();
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker).unwrap();
    // What is there cannot be defined again, so one item of each interface is tried.
    let items = [
        "get-environment",
        "exit",
        "get-stderr",
        "get-stdin",
        "get-stdout",
        "terminal-input",
        "terminal-output",
        "get-terminal-stderr",
        "get-terminal-stdin",
        "get-terminal-stdout",
        "now",
        "now",
        "get-directories",
        "descriptor",
        "handle",
        "fields",
        "error",
        "poll",
        "input-stream",
        "get-insecure-random-bytes",
        "insecure-seed",
        "get-random-bytes",
        "instance-network",
        "resolve-addresses",
        "network",
        "tcp-socket",
        "create-tcp-socket",
        "udp-socket",
        "create-udp-socket",
    ];
    for ((name, _), item) in KNOWN.into_iter().zip(items) {
        let is_provided = (0..40).any(|patch| {
            let mut interface = linker.instance(&format!("{name}@{WASI}.{patch}")).unwrap();
            interface.func_wrap(item, |_, (): ()| Ok(())).is_err()
        });
        assert!(is_provided, "{name}");
    }
}
