//! The small program inside: started by the runner, it builds a room and
//! becomes its first process. See `proctor_sandbox::init_main`.

fn main() {
    proctor_sandbox::init_main()
}
