//! Parameters of jobs, each declared once: name, type, unit, bounds, default and help.
//!
//! [`parameters!`] makes of a declaration the record that a job takes (with serde, so that a plan's parameters are this
//! record by name), its `Default`, the check of its bounds, and the table from which Python's records, `--set`, help and
//! reference pages are made (`tools/parameters.py`). Values are in base units: bytes, nanoseconds, shares 0…1, operations.

use std::fmt;
use std::ops::{Bound, RangeBounds};

use serde::de::{self, DeserializeOwned, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a value means, and which ones there are. As JSON: `{"unit": "bytes", "least": 1, "most": 1048576}`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "unit", rename_all = "snake_case")]
pub enum Unit {
    /// Yes or no.
    Flag,
    /// A whole number of things.
    Count(Bounds<u64>),
    /// A length.
    Bytes(Bounds<u64>),
    /// A time; the field's name ends in `_ns`, the parameter's does not.
    Nanoseconds(Bounds<u64>),
    /// A part of the whole, 0…1 or within closer bounds.
    Share(Bounds<f64>),
    /// Any number.
    Number(Bounds<f64>),
    /// One of some words.
    Word(Choices),
    /// Some of these words, joined with `+`.
    Words(Choices),
    /// Any text.
    Text,
    /// Lengths with weights, `[[4096, 60.0], [16384, 40.0]]`.
    Sizes(Bounds<u64>),
    /// So many operations or bytes per second, `{"per_second": 1000.0, "unit": "operations"}`.
    Rate,
    /// Which of some places come how often, [`crate::distribution::Distribution`].
    Distribution,
    /// Numbers of processors; none: any of them.
    Cpus,
    /// Fields of its own that only front ends write.
    Record,
    /// A server that can be started, or an embedded database, by any of its names; `none`.
    Server,
    /// Texts by name, `{"shared_buffers": "1GB"}`.
    Settings,
    /// Which records of a database are asked for, `{"kind": "zipfian", "theta": 0.99}`.
    Requests,
}

/// The least and the most that a value may be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds<T> {
    /// None is below it.
    pub least: T,
    /// None is above it.
    pub most: T,
}

/// The words that a value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Choices {
    /// As in JSON.
    pub choices: &'static [&'static str],
}

/// One parameter, as [`parameters!`] tells it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// As in plans and after `--set`.
    pub name: &'static str,
    /// The unit and its bounds.
    #[serde(flatten)]
    pub unit: Unit,
    /// In base units; `null`: none.
    pub default: Value,
    /// One line, as in help: without a capital at its beginning and without a full stop.
    pub help: String,
    /// Front ends set it; a plan holds it only where somebody asked for it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// A value that is not within the bounds of its parameter; the message says which are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value}: use {bounds}")]
pub struct OutOfBounds {
    name: &'static str,
    value: String,
    bounds: String,
}

/// Whole numbers within `range`.
pub fn count(range: impl RangeBounds<u64>) -> Unit {
    Unit::Count(whole(range))
}

/// Lengths within `range`.
pub fn bytes(range: impl RangeBounds<u64>) -> Unit {
    Unit::Bytes(whole(range))
}

/// Times within `range`.
pub fn nanoseconds(range: impl RangeBounds<u64>) -> Unit {
    Unit::Nanoseconds(whole(range))
}

/// Parts of a whole, from none to all of it.
pub fn share() -> Unit {
    share_from(0.0)
}

/// Parts of a whole, at least so much of it.
pub fn share_from(least: f64) -> Unit {
    Unit::Share(Bounds { least, most: 1.0 })
}

/// Numbers from `least` to `most`.
pub fn number(least: f64, most: f64) -> Unit {
    Unit::Number(Bounds { least, most })
}

/// Lengths within `range`, each with a weight.
pub fn sizes(range: impl RangeBounds<u64>) -> Unit {
    Unit::Sizes(whole(range))
}

/// One of `choices`, where these are no enum.
pub fn one_of(choices: &'static [&'static str]) -> Unit {
    Unit::Word(Choices { choices })
}

/// Which program carries a test out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Implementation {
    /// This one.
    Native,
    /// The original tool, which Python starts.
    Original,
}

/// One of the variants of `T`.
pub fn word<T: DeserializeOwned>() -> Unit {
    Unit::Word(Choices { choices: variants::<T>() })
}

/// Some of the variants of `T`.
pub fn words<T: DeserializeOwned>() -> Unit {
    Unit::Words(Choices { choices: variants::<T>() })
}

fn whole(range: impl RangeBounds<u64>) -> Bounds<u64> {
    let least = match range.start_bound() {
        Bound::Included(&least) => least,
        Bound::Excluded(&below) => below + 1,
        Bound::Unbounded => 0,
    };
    let most = match range.end_bound() {
        Bound::Included(&most) => most,
        Bound::Excluded(&above) => above - 1,
        Bound::Unbounded => UNBOUNDED,
    };
    Bounds { least, most }
}

/// What stands for no upper bound: signed numbers of other languages and of databases end here.
const UNBOUNDED: u64 = i64::MAX as u64;

impl Bounds<u64> {
    fn contains(&self, value: u64) -> bool {
        value >= self.least && (value <= self.most || self.most == UNBOUNDED)
    }
}

impl Parameter {
    /// Refuses a value that is not within the bounds; it is asked for only where there are any.
    pub fn check(&self, value: impl FnOnce() -> Value) -> Result<(), OutOfBounds> {
        if self.unit.is_bounded() { self.check_value(&value()) } else { Ok(()) }
    }

    fn check_value(&self, value: &Value) -> Result<(), OutOfBounds> {
        // JSON has no word for a number that is none.
        let is_none = value.is_null() && !self.default.is_null();
        if !is_none && self.unit.fits(value) {
            return Ok(());
        }
        let value = if is_none { "not a number".to_owned() } else { value.to_string() };
        Err(OutOfBounds { name: self.name, value, bounds: self.unit.to_string() })
    }
}

impl Unit {
    /// Whether any value of the right type may be refused.
    fn is_bounded(&self) -> bool {
        !matches!(
            self,
            Self::Flag
                | Self::Text
                | Self::Rate
                | Self::Distribution
                | Self::Cpus
                | Self::Record
                | Self::Server
                | Self::Settings
                | Self::Requests
        )
    }

    /// Whether a value is within the bounds; `null` always is.
    fn fits(&self, value: &Value) -> bool {
        match self {
            Self::Count(bounds) | Self::Bytes(bounds) | Self::Nanoseconds(bounds) => {
                value.as_u64().is_none_or(|each| bounds.contains(each))
            }
            Self::Sizes(bounds) => value.as_array().is_none_or(|sizes| {
                !sizes.is_empty() && sizes.iter().all(|each| each[0].as_u64().is_some_and(|size| bounds.contains(size)))
            }),
            Self::Share(bounds) | Self::Number(bounds) => {
                value.as_f64().is_none_or(|each| (bounds.least..=bounds.most).contains(&each))
            }
            Self::Word(Choices { choices }) => value.as_str().is_none_or(|word| choices.contains(&word)),
            Self::Words(_) => value.as_array().is_none_or(|words| !words.is_empty()),
            _ => true,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(bounds) => write!(text, "{bounds}"),
            Self::Bytes(bounds) => write!(text, "{bounds} bytes"),
            Self::Nanoseconds(bounds) => write!(text, "{bounds} ns"),
            Self::Share(bounds) => write!(text, "a share between {} and {}", bounds.least, bounds.most),
            Self::Number(bounds) => write!(text, "{} to {}", bounds.least, bounds.most),
            Self::Word(Choices { choices }) => write!(text, "one of {}", choices.join(", ")),
            Self::Words(Choices { choices }) => write!(text, "some of {}", choices.join(", ")),
            Self::Flag => text.write_str("yes or no"),
            Self::Text => text.write_str("any text"),
            Self::Sizes(bounds) => write!(text, "one or more of {bounds} bytes"),
            Self::Rate => text.write_str("a number per second"),
            Self::Distribution => text.write_str("a distribution"),
            Self::Cpus => text.write_str("numbers of processors"),
            Self::Record => text.write_str("a record"),
            Self::Server => text.write_str("the name of a server"),
            Self::Settings => text.write_str("settings by name"),
            Self::Requests => text.write_str("a distribution of requests"),
        }
    }
}

impl fmt::Display for Bounds<u64> {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.most == UNBOUNDED {
            write!(text, "{} or more", self.least)
        } else {
            write!(text, "{} to {}", self.least, self.most)
        }
    }
}

/// A line of documentation as help has it.
pub fn help(documentation: &str) -> String {
    let line = documentation.trim().trim_end_matches('.');
    let first = line.split(' ').next().unwrap_or_default();
    let is_name = first.chars().skip(1).any(char::is_uppercase);
    let mut characters = line.chars();
    match characters.next() {
        Some(initial) if !is_name => initial.to_lowercase().chain(characters).collect(),
        _ => line.to_owned(),
    }
}

/// The names of the variants of an enum, as serde has them; none where `T` is no enum.
fn variants<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut found: &'static [&'static str] = &[];
    // It always fails: what is wanted is what serde asks for.
    let _ = T::deserialize(Asked(&mut found));
    found
}

/// Takes down which variants an enum asks for.
struct Asked<'a>(&'a mut &'static [&'static str]);

impl<'de> de::Deserializer<'de> for Asked<'_> {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("not an enum"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Self::Error> {
        *self.0 = variants;
        Err(de::Error::custom("only asked"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Declares a record of parameters; see [`Unit`] and its functions for what stands behind `in`. The first line of a
/// field's documentation is the help of the parameter. With `default` at the end it may be missing, and then has the
/// default of its type. Fields in `beside { … }` are no parameters: the record holds them beside, as what names its place.
///
/// ```
/// use plimsoll_core::parameters::{self, bytes, parameters};
///
/// parameters! {
///     /// What a copy does.
///     #[derive(Eq)]
///     pub struct Copying {
///         /// Bytes of the file.
///         size: u64 = 1 << 20, in bytes(1..=1 << 40);
///         /// Measured time.
///         runtime_ns as "runtime": u64 = 1_000_000_000, in parameters::nanoseconds(1..);
///     }
/// }
///
/// assert_eq!(Copying::default().runtime_ns, 1_000_000_000);
/// assert_eq!(Copying::table()[1].name, "runtime");
/// let empty = Copying { size: 0, ..Copying::default() };
/// assert_eq!(empty.check_bounds().unwrap_err().to_string(), "size is 0: use 1 to 1099511627776 bytes");
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[doc = $about:literal])+
        $(#[derive($($derived:ident),+)])?
        pub struct $record:ident {
            $(beside {
                $(
                    $(#[doc = $beside_about:literal])+
                    $beside:ident: $beside_type:ty $(, $beside_optional:ident)?;
                )+
            })?
            $(
                #[doc = $help:literal]
                $(#[doc = $more:literal])*
                $field:ident $(as $name:literal)?: $type:ty = $default:expr, in $unit:expr $(, $optional:ident)?;
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        $(#[derive($($derived),+)])?
        #[serde(deny_unknown_fields)]
        pub struct $record {
            $($(
                $(#[doc = $beside_about])+
                $(#[serde($beside_optional)])?
                pub $beside: $beside_type,
            )+)?
            $(
                #[doc = $help]
                $(#[doc = $more])*
                $(#[serde(rename = $name)])?
                $(#[serde($optional)])?
                pub $field: $type,
            )+
        }

        impl Default for $record {
            fn default() -> Self {
                Self { $($($beside: Default::default(),)+)? $($field: $default,)+ }
            }
        }

        impl $record {
            /// Every parameter, in the order of the declaration.
            pub fn table() -> Vec<$crate::parameters::Parameter> {
                let default = $crate::parameters::serde_json::json!(Self::default());
                vec![$({
                    let name = $crate::parameters!(@name $field $(as $name)?);
                    $crate::parameters::Parameter {
                        name,
                        unit: $unit,
                        default: default[name].clone(),
                        help: $crate::parameters::help($help),
                        optional: $(stringify!($optional) == "default" ||)? false,
                    }
                }),+]
            }

            /// Refuses a value that is not within its bounds.
            pub fn check_bounds(&self) -> Result<(), $crate::parameters::OutOfBounds> {
                let table = Self::table();
                let mut parameters = table.iter();
                $(if let Some(each) = parameters.next() {
                    each.check(|| $crate::parameters::serde_json::json!(self.$field))?;
                })+
                Ok(())
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident as $name:literal) => { $name };
}

pub use parameters;
#[doc(hidden)]
pub use serde_json;

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Place {
        NextDoor,
        Here,
    }

    parameters! {
        /// Of a test, with its place.
        pub struct Placed {
            beside {
                /// Where it is.
                path: String;
                /// What it tells.
                told: bool, default;
            }
            /// Lengths of what it writes.
            sizes: Vec<(u64, f64)> = vec![(512, 1.0)], in sizes(1..=4096);
            /// Who does it.
            tool: String = "one".to_owned(), in one_of(&["one", "two"]);
            /// Any number, or none.
            limit: Option<u64> = None, in count(2..);
        }
    }

    #[test]
    fn what_names_a_place_is_in_the_record_and_not_in_the_table() {
        let names: Vec<&str> = Placed::table().iter().map(|each| each.name).collect();
        assert_eq!(names, ["sizes", "tool", "limit"]);
        let read = |text: &str| serde_json::from_str::<Placed>(text);
        let placed =
            read(r#"{"path":"/f","sizes":[[1,1.0],[4096,2.0]],"tool":"two","limit":9223372036854775809}"#).unwrap();
        assert_eq!((placed.path.as_str(), placed.told, placed.check_bounds()), ("/f", false, Ok(())));
        assert!(read(r#"{"sizes":[],"tool":"one","limit":null}"#).unwrap_err().to_string().contains("path"));
        let message = |change: fn(&mut Placed)| {
            let mut placed = Placed::default();
            change(&mut placed);
            placed.check_bounds().unwrap_err().to_string()
        };
        assert_eq!(message(|p| p.sizes[0].0 = 5000), "sizes is [[5000,1.0]]: use one or more of 1 to 4096 bytes");
        assert_eq!(message(|p| p.sizes.clear()), "sizes is []: use one or more of 1 to 4096 bytes");
        assert_eq!(message(|p| p.tool = "three".to_owned()), "tool is \"three\": use one of one, two");
        assert_eq!(message(|p| p.limit = Some(1)), "limit is 1: use 2 or more");
    }

    parameters! {
        /// Of a test.
        pub struct Sample {
            /// Clients that work at once.
            /// The original has eight.
            clients: u32 = 8, in count(1..=1024);
            /// CPUs that it may use.
            share: f64 = 0.5, in share();
            /// Where it is.
            place: Place = Place::Here, in word::<Place>();
            /// All that it does.
            places: Vec<Place> = vec![Place::Here], in words::<Place>();
            /// Longest time.
            runtime_ns as "runtime": Option<u64> = None, in nanoseconds(1..);
            /// Asks before each step.
            prompts: bool = false, in Unit::Flag, default;
        }
    }

    #[test]
    fn the_table_tells_what_was_declared() {
        let table = serde_json::json!(Sample::table());
        let expected = serde_json::json!([
            {"name": "clients", "unit": "count", "least": 1, "most": 1024, "default": 8,
             "help": "clients that work at once"},
            {"name": "share", "unit": "share", "least": 0.0, "most": 1.0, "default": 0.5, "help": "CPUs that it may use"},
            {"name": "place", "unit": "word", "choices": ["next_door", "here"], "default": "here", "help": "where it is"},
            {"name": "places", "unit": "words", "choices": ["next_door", "here"], "default": ["here"],
             "help": "all that it does"},
            {"name": "runtime", "unit": "nanoseconds", "least": 1, "most": i64::MAX, "default": null,
             "help": "longest time"},
            {"name": "prompts", "unit": "flag", "default": false, "help": "asks before each step", "optional": true},
        ]);
        assert_eq!(table, expected);
    }

    #[test]
    fn a_record_is_read_by_the_names_of_its_parameters_and_knows_no_others() {
        let mut record = serde_json::json!(Sample::default());
        record["runtime"] = 5.into();
        assert_eq!(Sample::deserialize(&record).unwrap().runtime_ns, Some(5));
        record["runtime_ns"] = 5.into();
        assert!(Sample::deserialize(&record).unwrap_err().to_string().contains("runtime_ns"));
        record.as_object_mut().unwrap().retain(|name, _| !["runtime_ns", "prompts"].contains(&name.as_str()));
        assert!(!Sample::deserialize(&record).unwrap().prompts);
        record.as_object_mut().unwrap().remove("clients");
        assert!(Sample::deserialize(&record).unwrap_err().to_string().contains("clients"));
    }

    #[test]
    fn bounds_hold_at_both_ends_and_the_message_says_them() {
        let with = |clients| Sample { clients, ..Sample::default() }.check_bounds();
        assert_eq!((with(1), with(1024)), (Ok(()), Ok(())));
        assert_eq!(with(1025).unwrap_err().to_string(), "clients is 1025: use 1 to 1024");
        let share = Sample { share: 1.5, ..Sample::default() };
        assert_eq!(share.check_bounds().unwrap_err().to_string(), "share is 1.5: use a share between 0 and 1");
        let nan = Sample { share: f64::NAN, ..Sample::default() };
        assert_eq!(nan.check_bounds().unwrap_err().to_string(), "share is not a number: use a share between 0 and 1");
        let none = Sample { places: vec![], ..Sample::default() };
        assert_eq!(none.check_bounds().unwrap_err().to_string(), "places is []: use some of next_door, here");
        let never = Sample { runtime_ns: Some(0), ..Sample::default() };
        assert_eq!(never.check_bounds().unwrap_err().to_string(), "runtime is 0: use 1 or more ns");
    }
}
