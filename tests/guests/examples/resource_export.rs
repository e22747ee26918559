//! Exports functions whose signatures hold handles, beside one that is plain.

use std::cell::Cell;

#[path = "../src/bindings/resourceful.rs"]
mod bindings;

use bindings::exports::test::guest::handles::{Counter, CounterBorrow, Guest, GuestCounter};

struct ResourceExport;

#[derive(Default)]
struct Count(Cell<u32>);

impl GuestCounter for Count {
    fn new() -> Self {
        Self::default()
    }

    fn next(&self) -> u32 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
}

impl Guest for ResourceExport {
    type Counter = Count;

    fn read_counter(counter: CounterBorrow<'_>) -> u32 {
        counter.get::<Count>().0.get()
    }

    fn list_counters() -> Vec<Option<Counter>> {
        vec![Some(Counter::new(Count::default())), None]
    }

    fn plain(number: u32) -> u32 {
        number
    }
}

bindings::export!(ResourceExport with_types_in bindings);
