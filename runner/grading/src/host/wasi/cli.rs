//! A process without environment, arguments, input and terminal.

use wasmtime::Result;
use wasmtime::component::Resource;

use super::bindings::wasi::cli::{
    environment, exit, stderr, stdin, stdout, terminal_input, terminal_output, terminal_stderr,
    terminal_stdin, terminal_stdout,
};
use super::io::{InputStream, OutputStream};
use crate::host::state::{State, Stop};

/// There is none.
#[derive(Debug)]
pub enum Terminal {}

impl environment::Host for State {
    fn get_environment(&mut self) -> Result<Vec<(String, String)>> {
        self.charge(0)?;
        Ok(Vec::new())
    }

    fn get_arguments(&mut self) -> Result<Vec<String>> {
        self.charge(0)?;
        Ok(Vec::new())
    }

    fn initial_cwd(&mut self) -> Result<Option<String>> {
        self.charge(0)?;
        Ok(None)
    }
}

impl exit::Host for State {
    fn exit(&mut self, status: std::result::Result<(), ()>) -> Result<()> {
        self.exit_with_code(u8::from(status.is_err()))
    }

    fn exit_with_code(&mut self, status: u8) -> Result<()> {
        Err(Stop::Exit(status).into())
    }
}

impl stdin::Host for State {
    fn get_stdin(&mut self) -> Result<Resource<InputStream>> {
        self.charge(0)?;
        Ok(self.wasi.table.push(InputStream::Empty)?)
    }
}

impl stdout::Host for State {
    fn get_stdout(&mut self) -> Result<Resource<OutputStream>> {
        self.charge(0)?;
        Ok(self.wasi.table.push(OutputStream::Stdout)?)
    }
}

impl stderr::Host for State {
    fn get_stderr(&mut self) -> Result<Resource<OutputStream>> {
        self.charge(0)?;
        Ok(self.wasi.table.push(OutputStream::Stderr)?)
    }
}

impl terminal_input::Host for State {}

impl terminal_input::HostTerminalInput for State {
    fn drop(&mut self, terminal: Resource<Terminal>) -> Result<()> {
        self.wasi.table.delete(terminal)?;
        Ok(())
    }
}

impl terminal_output::Host for State {}

impl terminal_output::HostTerminalOutput for State {
    fn drop(&mut self, terminal: Resource<Terminal>) -> Result<()> {
        self.wasi.table.delete(terminal)?;
        Ok(())
    }
}

impl terminal_stdin::Host for State {
    fn get_terminal_stdin(&mut self) -> Result<Option<Resource<Terminal>>> {
        self.charge(0)?;
        Ok(None)
    }
}

impl terminal_stdout::Host for State {
    fn get_terminal_stdout(&mut self) -> Result<Option<Resource<Terminal>>> {
        self.charge(0)?;
        Ok(None)
    }
}

impl terminal_stderr::Host for State {
    fn get_terminal_stderr(&mut self) -> Result<Option<Resource<Terminal>>> {
        self.charge(0)?;
        Ok(None)
    }
}
