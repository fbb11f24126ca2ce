//! What a served volume is through `/dev/fuse` it is through io_uring too, where the kernel offers that.

#[path = "served.rs"]
mod served;
