use super::broker::Settled;
use super::question::{Asked, Decider, Question};
use crate::agent::Agent;
use crate::event::{EventKind, SinkError};
use crate::report::bounded;
use crate::roles::{EffectKind, Target, Verdict};

/// The longest reason that a model is told, in bytes.
const MAX_REASON_BYTES: usize = 1000;

/// An effect that an agent wants to have.
pub(crate) struct Effect<'a> {
    pub(crate) call_id: &'a str,
    pub(crate) tool: &'a str,
    /// What rules are held against, all of one kind.
    pub(crate) targets: Vec<Target<'a>>,
}

/// Whether an effect may be.
pub(crate) enum Decision {
    /// It may.
    Granted,
    /// It may not.
    Denied {
        /// Why, for the model and the report.
        why: String,
        /// The targets that it is about.
        about: Vec<String>,
    },
    /// The question, or its answer, could not be recorded: it may not, and the agent must end.
    Unrecorded(SinkError),
}

/// Decides about an effect: by the rules of the agent's role, by an earlier answer, by the run's policy, or by a person.
/// `asked` makes the question, if there is one; once `given_up` returns, nobody waits for the answer any more.
pub(crate) async fn decide(
    agent: &Agent,
    kind: EffectKind,
    effect: Effect<'_>,
    asked: impl FnOnce() -> Asked,
    given_up: impl Future<Output = ()>,
) -> Decision {
    let all = || effect.targets.iter().map(ToString::to_string).collect();
    let answer = |settled: &Settled, reason: &str| EventKind::Answer {
        call_id: effect.call_id.to_owned(),
        granted: settled.scope.is_some(),
        by: settled.by,
        scope: settled.scope.filter(|_| settled.by == Decider::Person),
        reason: reason.to_owned(),
    };
    match agent.role.get().judge(kind, &effect.targets) {
        Verdict::Granted => return Decision::Granted,
        Verdict::Ask => {}
        Verdict::Denied { rule, target } => {
            let why = agent.role.denied_by(rule);
            return match agent.emit(answer(&Settled::no(Decider::Rule), &why)) {
                Ok(()) => Decision::Denied { why, about: vec![target] },
                Err(error) => Decision::Unrecorded(error),
            };
        }
    }
    let question = Question {
        agent: agent.path.to_string(),
        role: agent.role.name().to_owned(),
        tool: effect.tool.to_owned(),
        effect: asked(),
    };
    let subject = effect.targets.first().map(|target| target.subject()).unwrap_or_default();
    let settled = match settle(agent, effect.call_id, &question, &subject, given_up).await {
        Ok(settled) => settled,
        Err(error) => return Decision::Unrecorded(error),
    };
    let reason = bounded(&settled.reason, MAX_REASON_BYTES);
    if let Err(error) = agent.emit(answer(&settled, &reason)) {
        return Decision::Unrecorded(error);
    }
    match settled.scope {
        Some(_) => Decision::Granted,
        None => Decision::Denied { why: refusal(agent, kind, settled.by, &reason), about: all() },
    }
}

/// Finds the answer to a question. Waiting for it, and for the turn to ask, is waiting for a person.
async fn settle(
    agent: &Agent,
    call_id: &str,
    question: &Question,
    subject: &str,
    given_up: impl Future<Output = ()>,
) -> Result<Settled, SinkError> {
    let broker = &agent.broker;
    if let Some(settled) = broker.known(question, subject) {
        return Ok(settled);
    }
    let _waiting = agent.budget.wait_for_a_person();
    let asking = async {
        let _turn = broker.turn().await;
        // Another agent's question may have had an answer that covers this one.
        if let Some(settled) = broker.known(question, subject) {
            return Ok(settled);
        }
        let effect = question.effect.clone();
        agent.emit(EventKind::Question {
            call_id: call_id.to_owned(),
            tool: question.tool.clone(),
            role: question.role.clone(),
            question: effect,
        })?;
        Ok(broker.ask(question, subject).await)
    };
    tokio::select! {
        biased;
        () = agent.cancel.cancelled() => Ok(Settled::no(Decider::End)),
        () = agent.budget.work_ended() => Ok(Settled::no(Decider::End)),
        () = given_up => Ok(Settled::no(Decider::End)),
        settled = asking => settled,
    }
}

/// Why an effect may not be, in words.
fn refusal(agent: &Agent, kind: EffectKind, by: Decider, reason: &str) -> String {
    let asks = || {
        let (role, does) = (agent.role.name(), kind.does());
        format!("role `{role}` asks before it {does} ({})", agent.role.place("approve"))
    };
    match by {
        Decider::Nobody => format!("{}, and there is nobody to ask", asks()),
        Decider::Policy => format!("{}, and in this run every such question is answered with no", asks()),
        Decider::End => "it ended before there was an answer".to_owned(),
        Decider::Person | Decider::Earlier | Decider::Rule if reason.is_empty() => {
            "a person was asked, and said no".to_owned()
        }
        Decider::Person | Decider::Earlier | Decider::Rule => {
            format!("a person was asked, and said no: {reason}")
        }
    }
}
