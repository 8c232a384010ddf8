//! Rows as a person may bring them, in Rust without its standard library. Their suite is the file's name.
#![no_std]

use core::arch::asm;
use core::ffi::c_void;
use core::hint::black_box;
use core::ptr::{null, read_volatile, write_volatile};

#[repr(C)]
pub struct Object {
    counter: u64,
    room: *mut c_void,
}

type Body = unsafe extern "C" fn(u64, *mut Object) -> i32;
type Setup = unsafe extern "C" fn(*mut Object);
type Check = unsafe extern "C" fn(*const Object, u64) -> *const u8;

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
    setup: Option<Setup>,
    check: Option<Check>,
    floor: f64,
    truth: f64,
    compared_with: *const u8,
    unit: *const u8,
    units: u32,
    reserved: u32,
}
unsafe impl Sync for Row {}

const fn row(name: &'static [u8], what: &'static [u8], body: Body, ops: u32) -> Row {
    Row {
        version: 1,
        size: core::mem::size_of::<Row>() as u32,
        suite: null(),
        name: name.as_ptr(),
        what: what.as_ptr(),
        body,
        empty: None,
        ops,
        grain: 0,
        most_ops: 0,
        room: 0,
        needs: 0,
        flags: 0,
        setup: None,
        check: None,
        floor: 0.0,
        truth: 0.0,
        compared_with: null(),
        unit: null(),
        units: 0,
        reserved: 0,
    }
}

unsafe extern "C" fn chain(n: u64, _: *mut Object) -> i32 {
    let mut x = 3u64;
    for _ in 0..n {
        asm!(".rept 10", "imul {0}, {0}", ".endr", inout(reg) x);
    }
    black_box(x);
    0
}

/* Keeps a loop's turns apart without an instruction: unrolled, a body executes fewer instructions than
 * its empty body; black_box() would store the value. */
#[inline(always)]
unsafe fn turn(i: u64) {
    asm!("/* {0} */", in(reg) i, options(nomem, nostack, preserves_flags));
}

unsafe extern "C" fn count(n: u64, o: *mut Object) -> i32 {
    for i in 0..n {
        turn(i);
        write_volatile(&mut (*o).counter, read_volatile(&(*o).counter) + 1);
    }
    0
}

unsafe extern "C" fn no_count(n: u64, _: *mut Object) -> i32 {
    for i in 0..n {
        turn(i);
    }
    0
}

unsafe extern "C" fn counted(o: *const Object, operations: u64) -> *const u8 {
    if (*o).counter == operations {
        null()
    } else {
        b"the counter is wrong\0".as_ptr()
    }
}

const WORDS: usize = 512;

unsafe extern "C" fn fill(o: *mut Object) {
    let room = (*o).room as *mut u64;
    for i in 0..WORDS {
        *room.add(i) = i as u64 * 7 + 1;
    }
}

unsafe extern "C" fn sum(n: u64, o: *mut Object) -> i32 {
    for _ in 0..n {
        let words = core::slice::from_raw_parts(black_box((*o).room) as *const u64, WORDS);
        (*o).counter = words.iter().sum();
    }
    0
}

unsafe extern "C" fn summed(o: *const Object, _: u64) -> *const u8 {
    if (*o).counter == (0..WORDS as u64).map(|i| i * 7 + 1).sum() {
        null()
    } else {
        b"the sum is wrong\0".as_ptr()
    }
}

static CHAIN: Row = row(b"chain\0", b"ten products, each of the one before\0", chain, 500);
static COUNT: Row = Row {
    empty: Some(no_count),
    check: Some(counted),
    ..row(b"count\0", b"++*x\0", count, 1000)
};
static SUM: Row = Row {
    room: WORDS as u32 * 8,
    setup: Some(fill),
    check: Some(summed),
    unit: b"byte\0".as_ptr(),
    units: WORDS as u32 * 8,
    ..row(b"sum\0", b"a pass over 512 words\0", sum, 20)
};

#[used]
#[link_section = "baretick_rows_v1"]
static ROWS: [&Row; 3] = [&CHAIN, &COUNT, &SUM];
