//! How many instances a component becomes.
//!
//! A component may instantiate the components inside of it, each as often as
//! it likes, and so may they: thirty of them in a row, two instances each, are
//! a kilobyte and a thousand million instances. The compiler writes them all
//! out, and every one costs the host memory in every grade that no limit of the
//! engine counts.

/// Counts while a component is walked over.
///
/// Which component an instance is made of is not looked at: it is taken for
/// the one that becomes the most instances of those that are complete. That
/// can be too many and never too few, because a component can only instantiate
/// what is complete, unless it is handed a component from outside, which
/// whoever walks has to refuse.
#[derive(Debug, Default)]
pub(super) struct Growth {
    /// Instantiations in each component that is being walked over.
    open: Vec<usize>,
    /// Instances that the largest complete component becomes, itself included.
    most: usize,
}

impl Growth {
    /// A module or component begins.
    pub(super) fn begin(&mut self) {
        self.open.push(0);
    }

    /// The component that is being walked over instantiates another one.
    /// Returns how many instances it is now.
    pub(super) fn instantiates(&mut self) -> usize {
        if let Some(count) = self.open.last_mut() {
            *count += 1;
        }
        self.now()
    }

    fn now(&self) -> usize {
        let instantiated = self.open.last().copied().unwrap_or_default();
        instantiated
            .saturating_mul(self.most.max(1))
            .saturating_add(1)
    }

    /// A module or component ends. Returns how many instances it is.
    pub(super) fn end(&mut self) -> usize {
        let all = self.now();
        self.most = self.most.max(all);
        self.open.pop();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_by_itself_is_one_instance() {
        let mut growth = Growth::default();
        growth.begin();
        assert_eq!(growth.end(), 1);
    }

    #[test]
    fn instances_of_instances_multiply() {
        let mut growth = Growth::default();
        growth.begin();
        for _ in 0..3 {
            growth.begin();
            growth.instantiates();
            growth.instantiates();
            growth.end();
        }
        // 3, 7 and 15: each is itself and two of the one before.
        assert_eq!(growth.instantiates(), 16);
        assert_eq!(growth.end(), 16);
    }

    #[test]
    fn no_number_of_levels_overflows() {
        let mut growth = Growth::default();
        growth.begin();
        for _ in 0..200 {
            growth.begin();
            growth.instantiates();
            growth.instantiates();
            growth.end();
        }
        growth.instantiates();
        assert_eq!(growth.end(), usize::MAX);
    }
}
