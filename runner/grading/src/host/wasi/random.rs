//! Randomness from a fixed seed: the same in every grade, and no secret.

use wasmtime::Result;

use super::bindings::wasi::random::{insecure, insecure_seed, random};
use crate::host::state::{State, Stop};

/// Most bytes that are made at once.
const MOST: u64 = 1 << 20;

/// The generator `SplitMix64` (Steele, Lea, Flood 2014).
#[derive(Debug)]
pub(super) struct Random(u64);

impl Default for Random {
    fn default() -> Self {
        Self(0x50_72_6f_63_74_6f_72_21)
    }
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl State {
    fn random_bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        // Charged and compared first: nobody gets to allocate more than that.
        self.charge(length)?;
        if length > MOST {
            return Err(Stop::HostcallBudget.into());
        }
        let length = usize::try_from(length)?;
        let mut bytes = Vec::with_capacity(length + 8);
        while bytes.len() < length {
            bytes.extend_from_slice(&self.wasi.random.next().to_le_bytes());
        }
        bytes.truncate(length);
        Ok(bytes)
    }

    fn random_u64(&mut self) -> Result<u64> {
        self.charge(0)?;
        Ok(self.wasi.random.next())
    }
}

impl random::Host for State {
    fn get_random_bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        self.random_bytes(length)
    }

    fn get_random_u64(&mut self) -> Result<u64> {
        self.random_u64()
    }
}

impl insecure::Host for State {
    fn get_insecure_random_bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        self.random_bytes(length)
    }

    fn get_insecure_random_u64(&mut self) -> Result<u64> {
        self.random_u64()
    }
}

impl insecure_seed::Host for State {
    fn insecure_seed(&mut self) -> Result<(u64, u64)> {
        Ok((self.random_u64()?, self.random_u64()?))
    }
}
