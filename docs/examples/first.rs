// The template in Rust: no standard library, and nothing that can panic in a body.
//   rustc --edition=2021 --crate-type=lib --emit=obj -C opt-level=2 -C panic=abort -C overflow-checks=off \
//       -C relocation-model=pic -o first_rs.o first.rs
#![no_std]

use core::arch::asm;

// struct baretick_object and struct baretick_row of baretick.h.
#[repr(C)]
pub struct Object {
    counter: u64,
    room: *mut u8,
}
type Body = extern "C" fn(u64, *mut Object) -> i32;
#[repr(C)]
pub struct Row {
    version: u32,
    size: u32,
    suite: *const u8,
    name: *const u8,
    what: *const u8,
    body: Body,
    empty: Option<Body>,
    ops: u32,
    grain: u32,
    most_ops: u32,
    room: u32,
    needs: u32,
    flags: u32,
    setup: Option<extern "C" fn(*mut Object)>,
    check: Option<extern "C" fn(*const Object, u64) -> *const u8>,
    floor: f64, // not used
    truth: f64,
    compared_with: *const u8,
    unit: *const u8,
    units: u32,
    reserved: u32,
    least_instructions: f64,
}
unsafe impl Sync for Row {}
#[repr(transparent)]
pub struct At(&'static Row);
unsafe impl Sync for At {}

// The value has been computed, and may be another one from here on.
#[inline(always)]
fn hide(mut x: u64) -> u64 {
    unsafe { asm!("/* {0} */", inout(reg) x, options(nostack, preserves_flags)) };
    x
}

fn collatz(mut n: u64) -> u64 {
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
        steps += 1;
    }
    steps
}

extern "C" fn body(n: u64, o: *mut Object) -> i32 {
    let mut left = n;
    while left != 0 {
        left = hide(left) - 1;
        let steps = hide(collatz(hide(27)));
        unsafe { (*o).counter += (steps == 111) as u64 };
    }
    0
}

extern "C" fn empty(n: u64, _o: *mut Object) -> i32 {
    let mut left = n;
    while left != 0 {
        left = hide(left) - 1;
    }
    0
}

extern "C" fn counted(o: *const Object, operations: u64) -> *const u8 {
    if unsafe { (*o).counter } == operations {
        core::ptr::null()
    } else {
        b"a number of steps is wrong\0".as_ptr()
    }
}

static ROW: Row = Row {
    version: 1,
    size: core::mem::size_of::<Row>() as u32,
    suite: b"first_rs\0".as_ptr(),
    name: b"collatz_27\0".as_ptr(),
    what: b"the steps from 27 to 1, which are 111\0".as_ptr(),
    body,
    empty: Some(empty),
    ops: 100,
    grain: 0,
    most_ops: 0,
    room: 0,
    needs: 0,
    flags: 0,
    setup: None,
    check: Some(counted),
    floor: 0.0,
    truth: 0.0,
    compared_with: core::ptr::null(),
    unit: core::ptr::null(),
    units: 0,
    reserved: 0,
    least_instructions: 111.0,
};

#[used]
#[link_section = "baretick_rows_v1"]
static AT: At = At(&ROW);
