//! The clock behind deadlines.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::Duration;

use wasmtime::{Engine, EngineWeak};

/// How often a running guest is looked at: it yields, and its deadline is checked.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Advances an engine's epoch while a call runs, and sleeps while none does.
#[derive(Debug)]
pub(crate) struct Ticker(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    running: AtomicUsize,
    ended: AtomicBool,
    thread: OnceLock<Thread>,
}

/// A call that wants ticks. They stop with the last one.
#[derive(Debug)]
pub(crate) struct Ticking(Arc<Shared>);

impl Ticker {
    pub(crate) fn start(engine: &Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            running: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            thread: OnceLock::new(),
        });
        let (engine, own) = (engine.weak(), shared.clone());
        let thread =
            std::thread::Builder::new().name("remit-ticker".into()).spawn(move || run(&engine, &own))?;
        let _ = shared.thread.set(thread.thread().clone());
        Ok(Self(shared))
    }

    pub(crate) fn ticking(&self) -> Ticking {
        if self.0.running.fetch_add(1, Ordering::AcqRel) == 0 {
            self.0.wake();
        }
        Ticking(self.0.clone())
    }
}

impl Shared {
    fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Release);
        self.0.wake();
    }
}

fn run(engine: &EngineWeak, shared: &Shared) {
    while !shared.ended.load(Ordering::Acquire) {
        if shared.running.load(Ordering::Acquire) == 0 {
            std::thread::park();
            continue;
        }
        std::thread::sleep(TICK);
        match engine.upgrade() {
            Some(engine) => engine.increment_epoch(),
            None => return,
        }
    }
}
