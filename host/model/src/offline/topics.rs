//! What is asked about projects in general, and what in a project answers it.

mod libraries;
mod project;
mod testing;

use super::place::Ecosystem;
use Ecosystem::{Node, Python, Rust};

/// Something that is asked about projects in general.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Topic {
    /// Its name in an answer, English and Chinese.
    pub(super) names: [&'static str; 2],
    /// The phrases that ask for it: English ones in small letters, or Chinese ones.
    pub(super) phrases: &'static [&'static str],
    /// What answers it, in manifests and sources.
    pub(super) marks: &'static [Mark],
    /// Files whose presence answers it; a glob, or nothing.
    pub(super) files: &'static str,
    /// Whether tests themselves are what is asked about.
    pub(super) about_tests: bool,
}

/// A text that answers a topic where it stands in the right kind of file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) text: &'static str,
    pub(super) of: Ecosystem,
    pub(super) place: Place,
    /// How much it says, up to 10.
    pub(super) weight: i64,
    /// What an answer calls it; the line itself if empty.
    pub(super) label: &'static str,
}

/// Where a mark counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Manifest,
    Source,
}

const fn manifest(of: Ecosystem, weight: i64, text: &'static str, label: &'static str) -> Mark {
    Mark { text, of, place: Place::Manifest, weight, label }
}

const fn source(of: Ecosystem, weight: i64, text: &'static str, label: &'static str) -> Mark {
    Mark { text, of, place: Place::Source, weight, label }
}

/// All topics. Where several phrases of a question fit, the longest decides.
pub(super) fn topics() -> impl Iterator<Item = &'static Topic> {
    [testing::TOPICS, project::TOPICS, libraries::TOPICS, &[PURPOSE]].into_iter().flatten()
}

/// What is meant by a question that names nothing.
pub(super) const PURPOSE: Topic = Topic {
    names: ["What it is", "项目简介"],
    phrases: &[
        "project do",
        "repository do",
        "project about",
        "repository about",
        "purpose of this",
        "what is this",
        "做什么",
        "干什么",
        "是什么项目",
        "项目介绍",
        "介绍一下",
        "概述",
    ],
    marks: &[
        manifest(Rust, 8, "description =", ""),
        manifest(Python, 8, "description =", ""),
        manifest(Node, 8, "\"description\":", ""),
    ],
    files: "README*",
    about_tests: false,
};
