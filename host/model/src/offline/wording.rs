//! The planner's own sentences, in the question's language.

/// The language of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wording {
    chinese: bool,
}

impl Wording {
    pub(super) fn of(chinese: bool) -> Wording {
        Wording { chinese }
    }

    fn either(self, english: String, chinese: String) -> String {
        if self.chinese { chinese } else { english }
    }

    pub(super) fn at(self, what: &str, place: &str) -> String {
        self.either(format!("{what} ({place})"), format!("{what}（{place}）"))
    }

    pub(super) fn topic(self, topic: &str, answers: &[String]) -> String {
        let (english, chinese) = (answers.join(", "), answers.join("、"));
        self.either(format!("{topic}: {english}."), format!("{topic}：{chinese}。"))
    }

    pub(super) fn best_match(self, words: &str, place: &str, quote: &str, others: &[String]) -> String {
        let mut english = format!("The best match for {words} is {place}: `{quote}`.");
        let mut chinese = format!("与 {words} 最相符的位置是 {place}：`{quote}`。");
        if !others.is_empty() {
            english.push_str(&format!(" See also {}.", others.join(", ")));
            chinese.push_str(&format!("另见 {}。", others.join("、")));
        }
        self.either(english, chinese)
    }

    pub(super) fn names(self, label: &str, quote: &str) -> String {
        self.either(format!("shows {label}: {quote}"), format!("表明 {label}：{quote}"))
    }

    pub(super) fn check(self, quote: &str) -> String {
        self.either(format!("a check: {quote}"), format!("检查：{quote}"))
    }

    pub(super) fn refusal(self, quote: &str) -> String {
        self.either(format!("an error: {quote}"), format!("报错：{quote}"))
    }

    pub(super) fn definition(self, quote: &str) -> String {
        self.either(format!("a definition: {quote}"), format!("定义：{quote}"))
    }

    pub(super) fn nothing(self, words: &str) -> String {
        self.either(format!("nothing was found for {words}"), format!("没有找到与 {words} 相关的内容"))
    }

    pub(super) fn failed(self, failure: &str) -> String {
        self.either(format!("a call failed: {failure}"), format!("一次调用失败：{failure}"))
    }

    pub(super) fn no_tools(self) -> String {
        self.either(
            "no tool to search or read files was given, so nothing was looked at".to_owned(),
            "没有可用于搜索或读取文件的工具，因此什么也没有查看".to_owned(),
        )
    }

    pub(super) fn no_search(self) -> String {
        self.either(
            "no search tool was given, so files were chosen by their names alone".to_owned(),
            "没有搜索工具，只能按文件名选择文件".to_owned(),
        )
    }

    pub(super) fn weak(self) -> String {
        self.either(
            "the match is weak: few of the question's words were found together".to_owned(),
            "匹配较弱：问题中的词很少同时出现".to_owned(),
        )
    }

    pub(super) fn not_read(self) -> String {
        self.either(
            "the places come from the search alone and were not read in context".to_owned(),
            "这些位置仅来自搜索，没有结合上下文阅读".to_owned(),
        )
    }

    pub(super) fn cut_short(self) -> String {
        self.either(
            "there was no turn left to read these places in context".to_owned(),
            "已没有剩余轮次来结合上下文阅读这些位置".to_owned(),
        )
    }

    pub(super) fn expected_output(self) -> String {
        self.either(
            "The answer in a sentence or two, with path and line of each place that shows it.".to_owned(),
            "用一两句话回答，并给出每个依据的路径和行号。".to_owned(),
        )
    }

    pub(super) fn done_when(self) -> String {
        self.either(
            "A place in the workspace answers the question, or the search has found none.".to_owned(),
            "工作区中已有位置能回答该问题，或搜索没有结果。".to_owned(),
        )
    }

    pub(super) fn unfinished(self, status: &str) -> String {
        self.either(
            format!("The exploration did not complete ({status}); this is an unfinished lead."),
            format!("这次探索没有完成（{status}），以下只是未完成的线索。"),
        )
    }

    pub(super) fn task_failed(self, words: &str) -> String {
        self.either(
            format!("The question could not be delegated: {words}"),
            format!("无法委派这个问题：{words}"),
        )
    }

    pub(super) fn warning(self, words: &str) -> String {
        self.either(format!("Note: {words}."), format!("注意：{words}。"))
    }

    pub(super) fn open(self, words: &str) -> String {
        self.either(format!("Open: {words}."), format!("未解决：{words}。"))
    }
}
