use super::super::effect::EffectKind;
use super::super::name::MAX_NAME;
use super::Problem;

impl Problem {
    /// What to write instead, where that is clear; the nearest valid name comes first.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let did_you_mean =
            |nearest: &Option<String>| nearest.as_ref().map(|name| format!("did you mean `{name}`?"));
        match self {
            Self::Duplicate(_) => Some("keep one of the two".to_owned()),
            Self::UnknownKey { nearest, belongs, known } => (!belongs.is_empty())
                .then(|| format!("it belongs in {}", belongs.join(" or ")))
                .or_else(|| did_you_mean(nearest))
                .or_else(|| Some(format!("the keys here are {}", known.join(", ")))),
            Self::LaterKey => Some("remove it; a key is accepted only when it is enforced".to_owned()),
            Self::WrongType { example, .. } => {
                example.as_ref().map(|example| format!("write it as {example}"))
            }
            Self::NoRoles => {
                Some("add one, as in [roles.root], or see the built-in ones with `remit roles`".to_owned())
            }
            Self::BadName(_) => {
                Some(format!("a name is a-z, then a-z, 0-9 and `-`, at most {MAX_NAME} characters"))
            }
            Self::ReservedName(_) | Self::BuiltInName(_) => Some("choose another name".to_owned()),
            Self::Missing { why, .. } => Some((*why).to_owned()),
            Self::Empty => Some("say something, or remove the key".to_owned()),
            Self::TwoPrompts => Some("remove one of them".to_owned()),
            Self::Cost(_) => {
                Some("write dollars, at most six digits behind the point: \"0.50\", \"12\"".to_owned())
            }
            Self::Duration { .. } => {
                Some("write a number with its unit: \"500ms\", \"30s\", \"15m\", \"1h30m\"".to_owned())
            }
            Self::Path { problem, .. } => Some(problem.help().to_owned()),
            Self::Entry(problem) => problem.help(),
            Self::OverCeiling { key, .. } => Some(format!("narrow the role, or raise [ceiling] `{key}`")),
            Self::ReadOnlyInside { read, .. } => Some(format!(
                "what may be written may be read, so remove it; deny = [\"write /{read}/\"] keeps it from being written"
            )),
            Self::UnknownEffect { text, .. } if text == "all" => {
                Some("write approve = \"all\" for every kind".to_owned())
            }
            Self::UnknownEffect { nearest, .. } => did_you_mean(nearest).or_else(|| {
                Some(format!("the kinds are {}", EffectKind::ALL.map(EffectKind::as_str).join(", ")))
            }),
            Self::BadRule(_) => {
                Some("write a kind and what it is about: \"write **/*.lock\", \"network https://docs.rs\", \"command cargo test **\", \"delegate editor\"".to_owned())
            }
            Self::NoDelegate { nearest, .. } => {
                did_you_mean(nearest).or_else(|| Some("write `delegate *` for every one".to_owned()))
            }
            Self::Pattern { problem, .. } => problem.help().map(str::to_owned),
            Self::DigestMismatch { found, .. } => {
                Some(format!("if the plugin is the one you want, write sha256 = \"{found}\""))
            }
            Self::BadToolPattern { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::BadToolPattern { nearest: None, .. } => Some(
                "write a tool as `files.read_file`, a plugin's every tool as `files.*`, or `task`".to_owned(),
            ),
            Self::UnknownPlugin { nearest, .. } => {
                did_you_mean(nearest).or_else(|| Some("list it under [plugins]".to_owned()))
            }
            Self::UnknownTool { nearest, .. } => {
                did_you_mean(nearest).or_else(|| Some("`remit tools` shows what there is".to_owned()))
            }
            Self::UnknownRole { nearest, .. } => {
                did_you_mean(nearest).or_else(|| Some("add it as [roles.NAME]".to_owned()))
            }
            Self::DelegatesWithoutTask => Some("add \"task\" to `tools`, or remove `delegates`".to_owned()),
            Self::TaskWithoutDelegates => Some("name roles in `delegates`, or remove \"task\"".to_owned()),
            Self::Circle(_) => Some("remove one of these delegations".to_owned()),
            Self::TooDeep { .. } => Some("raise [budget] `max_depth`, or remove the delegation".to_owned()),
            Self::Number { least: 1, found, .. } if found == "0" => {
                Some("a limit of 0 would stop before the first; leave the key out for the default".to_owned())
            }
            Self::Unreached(name) => Some(format!("it is reached only with `remit run --role {name}`")),
            Self::UnusedGrant(does) => Some(format!("remove it, or give the role a tool that {does}")),
            Self::OpenFlow { .. } => Some(
                "ask before requests with approve = [\"network\"], or keep what reads and what sends apart; a GET carries \
                 data too, in its URL"
                    .to_owned(),
            ),
            Self::RunsAndReaches => Some("give the two to different roles".to_owned()),
            Self::SecretVariable(_) => {
                Some("a [secrets.NAME] is sent to its host only, and no tool sees its value".to_owned())
            }
            Self::NoCommands => Some("name commands in `commands`, or remove it".to_owned()),
            Self::NowhereToRun => Some("name the directory in `read`, or remove `commands`".to_owned()),
            Self::ScratchUnread(_) => Some("name a directory within `read` or `write`".to_owned()),
            Self::UnknownSandbox(_) => Some("write \"required\" or \"best-effort\"".to_owned()),
            Self::SecretUnset(_) => {
                Some("set it where remit is started, or take the secret from the roles that name it".to_owned())
            }
            Self::UnknownSecret { nearest, .. } => {
                did_you_mean(nearest).or_else(|| Some("add it as [secrets.NAME]".to_owned()))
            }
            Self::SecretElsewhere { host, .. } => Some(format!("add \"{host}\" to `hosts`, or remove the secret")),
            Self::CoversProtected { .. } => {
                Some("whatever is granted, it stays as it is: it decides what agents do".to_owned())
            }
            Self::Reveals(_) => Some("name single files, as in \".env.example\"".to_owned()),
            Self::IdleRule { .. }
            | Self::Syntax(_)
            | Self::Host(_)
            | Self::Command { .. }
            | Self::Scratch(_)
            | Self::Variable(_)
            | Self::Secret(_)
            | Self::NotOneLine(_)
            | Self::Number { .. }
            | Self::BadDigest
            | Self::Model(_)
            | Self::SkippedTool { .. }
            | Self::NothingMatches(_) => None,
        }
    }
}
