//! The rule table: which line is what.

use regex::bytes::{RegexSet, RegexSetBuilder};

/// What a line is, and with it what may become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Always goes, and ends a diagnostic.
    Drop,
    /// Starts a frame of the program.
    OwnFrame,
    /// Starts a frame that is not the program's.
    ForeignFrame,
    /// Continues the frame directly above; text where there is none.
    FrameMore,
    /// Goes when the frames directly below it all go.
    FrameHeader,
    /// Starts a diagnostic that is an error.
    Error,
    /// Starts a diagnostic that is a warning.
    Warning,
    /// Starts a sub-entry of a diagnostic.
    Note,
    /// Ends a diagnostic, and is text.
    Section,
    /// Text that goes last.
    Keep,
    /// Anything else.
    Text,
}

impl Class {
    /// All classes and the names that a rule table gives them.
    pub const NAMES: [(&'static str, Class); 11] = [
        ("drop", Class::Drop),
        ("own_frame", Class::OwnFrame),
        ("foreign_frame", Class::ForeignFrame),
        ("frame_more", Class::FrameMore),
        ("frame_header", Class::FrameHeader),
        ("error", Class::Error),
        ("warning", Class::Warning),
        ("note", Class::Note),
        ("section", Class::Section),
        ("keep", Class::Keep),
        ("text", Class::Text),
    ];

    fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, class)| *class)
    }
}

/// Rules in order: the first whose expression matches a line says what it is.
#[derive(Debug)]
pub struct Rules {
    expressions: RegexSet,
    classes: Vec<Class>,
}

impl Rules {
    /// Read `(class name, expression)` pairs; the error is one sentence.
    pub fn new<C: AsRef<str>, E: AsRef<str>>(table: &[(C, E)]) -> Result<Self, String> {
        let class_of = |(name, _): &(C, E)| {
            let name = name.as_ref();
            Class::named(name).ok_or_else(|| {
                let known: Vec<_> = Class::NAMES.iter().map(|(name, _)| *name).collect();
                format!("no rule class is named {name:?}; there are {}", known.join(", "))
            })
        };
        let classes = table.iter().map(class_of).collect::<Result<_, _>>()?;
        let expressions = RegexSetBuilder::new(table.iter().map(|(_, expression)| expression.as_ref()))
            .build()
            .map_err(|error| format!("a rule's expression cannot be read: {error}"))?;
        Ok(Self { expressions, classes })
    }

    /// What `line` is.
    pub fn classify(&self, line: &[u8]) -> Class {
        self.expressions.matches(line).iter().next().map_or(Class::Text, |rule| self.classes[rule])
    }
}

#[cfg(test)]
mod tests {
    use super::{Class, Rules};

    #[test]
    fn the_first_matching_rule_wins() {
        let rules = Rules::new(&[("drop", "b$"), ("error", "^a"), ("text", "x")]).unwrap();
        assert_eq!(rules.classify(b"ab"), Class::Drop);
        assert_eq!(rules.classify(b"ac"), Class::Error);
        assert_eq!(rules.classify(b"c"), Class::Text);
    }

    #[test]
    fn a_table_that_cannot_be_read_is_refused() {
        assert!(Rules::new(&[("frame", "x")]).unwrap_err().contains("no rule class"));
        assert!(Rules::new(&[("drop", "(")]).unwrap_err().contains("cannot be read"));
    }
}
