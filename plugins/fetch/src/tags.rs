//! What elements of HTML mean for text.

/// What an element does to the text around and within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Runs on in its line.
    Inline,
    /// Has lines of its own.
    Line,
    /// Has lines of its own, set apart by empty ones.
    Block,
    Heading(u8),
    Paragraph,
    List {
        numbered: bool,
    },
    Item,
    /// A term of a list of definitions, or what it means.
    Definition,
    Quote,
    /// Keeps its spaces and line ends.
    Pre,
    Code,
    Link,
    Image,
    Break,
    Rule,
    Table,
    Row,
    Cell,
    Title,
    Base,
    /// Nobody reads what is in it.
    Hidden,
    /// Has no end tag, and means nothing for text.
    Void,
}

impl Kind {
    pub(crate) fn of(name: &[u8]) -> Self {
        match name {
            b"p" => Self::Paragraph,
            b"h1" => Self::Heading(1),
            b"h2" => Self::Heading(2),
            b"h3" => Self::Heading(3),
            b"h4" => Self::Heading(4),
            b"h5" => Self::Heading(5),
            b"h6" => Self::Heading(6),
            b"ul" | b"menu" => Self::List { numbered: false },
            b"ol" => Self::List { numbered: true },
            b"li" => Self::Item,
            b"dt" | b"dd" => Self::Definition,
            b"blockquote" => Self::Quote,
            b"pre" | b"listing" | b"xmp" | b"plaintext" => Self::Pre,
            b"code" | b"kbd" | b"samp" | b"tt" => Self::Code,
            b"a" => Self::Link,
            b"img" => Self::Image,
            b"br" => Self::Break,
            b"hr" => Self::Rule,
            b"table" => Self::Table,
            b"tr" => Self::Row,
            b"td" | b"th" => Self::Cell,
            b"title" => Self::Title,
            b"base" => Self::Base,
            b"script" | b"style" | b"template" | b"noscript" | b"svg" | b"iframe" | b"object" | b"canvas"
            | b"audio" | b"video" | b"select" | b"datalist" | b"textarea" | b"noembed" | b"noframes" => {
                Self::Hidden
            }
            b"area" | b"col" | b"embed" | b"frame" | b"input" | b"link" | b"meta" | b"param" | b"source"
            | b"track" | b"wbr" => Self::Void,
            b"div" | b"address" | b"caption" | b"figcaption" | b"legend" | b"option" | b"summary"
            | b"thead" | b"tbody" | b"tfoot" | b"center" => Self::Line,
            b"article" | b"aside" | b"body" | b"details" | b"dialog" | b"dl" | b"fieldset" | b"figure"
            | b"footer" | b"form" | b"header" | b"hgroup" | b"html" | b"main" | b"nav" | b"search"
            | b"section" => Self::Block,
            _ => Self::Inline,
        }
    }

    /// Whether it never has content.
    pub(crate) fn is_void(self) -> bool {
        matches!(self, Self::Image | Self::Break | Self::Rule | Self::Base | Self::Void)
    }

    /// Whether it ends a paragraph that is still open.
    pub(crate) fn ends_paragraph(self) -> bool {
        matches!(
            self,
            Self::Line
                | Self::Block
                | Self::Heading(_)
                | Self::Paragraph
                | Self::List { .. }
                | Self::Item
                | Self::Definition
                | Self::Quote
                | Self::Pre
                | Self::Rule
                | Self::Table
        )
    }

    /// Which elements it ends when it begins, as their end tags may be left out.
    pub(crate) fn ends(self, open: Self) -> bool {
        match self {
            Self::Item => open == Self::Item,
            Self::Definition => open == Self::Definition,
            Self::Row => matches!(open, Self::Row | Self::Cell),
            Self::Cell => open == Self::Cell,
            _ => self.ends_paragraph() && open == Self::Paragraph,
        }
    }

    /// Whether nothing around an element of this kind is ended by what begins in it.
    pub(crate) fn is_boundary_for(self, beginning: Self) -> bool {
        match beginning {
            Self::Item => matches!(self, Self::List { .. }),
            Self::Definition => self == Self::Block,
            Self::Row | Self::Cell => self == Self::Table,
            _ => matches!(
                self,
                Self::Block
                    | Self::Line
                    | Self::Item
                    | Self::Definition
                    | Self::Quote
                    | Self::Cell
                    | Self::Table
            ),
        }
    }
}
