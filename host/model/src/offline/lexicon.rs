//! The trade's words. Lists are written as text, with spaces between the words.

/// Words of the trade with those that programs use in their place, a row each.
const SYNONYMS: &str = "\
    limit max maximum cap budget quota ceiling bound
    turn iteration step round
    retry retries attempt backoff
    timeout deadline expire
    config configuration settings options preferences
    delete remove unlink erase
    create new make
    auth authentication authorize login credential
    directory dir folder
    argument args param parameter
    error err exception failure
    database db sql
    function fn func method
    start begin launch run main
    stop cancel abort shutdown
    fetch download get
    send post emit dispatch
    environment env
    message msg
    secret key token
    schedule scheduler queue";

/// Chinese words of the trade and the English word that programs use.
const CHINESE: &str = "\
    轮次=turn 轮数=turn 回合数=turn 回合=turn 步数=step 迭代=iteration 最大=max 上限=limit 限制=limit 限额=limit 预算=budget
    配额=quota 超时=timeout 截止=deadline 重试=retry 缓存=cache 错误=error 异常=exception 日志=log 认证=auth 鉴权=auth
    登录=login 权限=permission 授权=grant 沙箱=sandbox 沙盒=sandbox 插件=plugin 会话=session 工具=tool 模型=model
    提示词=prompt 解析=parse 路径=path 文件=file 目录=directory 网络=network 请求=request 响应=response 服务器=server
    客户端=client 数据库=database 用户=user 密码=password 密钥=key 令牌=token 加密=encrypt 队列=queue 线程=thread
    并发=concurrency 异步=async 启动=start 停止=stop 取消=cancel 接口=interface 类型=type 子代理=subagent 代理=agent
    委派=delegate 报告=report 命令行=cli 命令=command 参数=argument 环境变量=environment 端口=port 地址=address 角色=role
    内存=memory 事件=event 消息=message 配置=config 搜索=search 排序=sort 下载=download 上传=upload 序列化=serialize
    测试=test 循环=loop 调度=schedule 校验=validate 验证=validate 大小=size 长度=length 深度=depth 数量=count 价格=price
    订单=order 支付=payment";

/// Words that say little about a place, though they are better than none.
const GENERIC: &str = "\
    class code count data file function handle item line logic method module name new object process set size string
    test thing type value variable";

/// Words of a question that are not what it is about.
const STOP: &str = "\
    a about across after against all also an and answer any app application are as at be been before being between both but by can codebase could currently describe did do
    does done each exactly explain every find for from give happen happens has have here how i if implement
    implementation implemented implements in into is it its kind list live lives located location make many me my name
    need needs not number of on one onto or other our out over per please place places program project published question repo repository see should
    show so some source such tell than that the their them then there these they this those through to under up upon us use
    used uses using was we were what when where which who whole whose why will with within without workspace would you your";

/// The same in Chinese. What is left of a sentence without these and the known words is searched for as it stands.
const CHINESE_STOP: &str = "\
    这个项目 该项目 本项目 项目 仓库 代码库 代码 程序 请问 请 告诉我 帮我 查找 找到 找出 使用的 使用了 使用 采用 什么 哪里 哪儿 哪个 哪些
    哪一个 哪种 何处 在哪 怎么 怎样 如何 是否 为什么 多少 实现的 实现 位于 定义 声明 强制执行 强制 执行 检查 生效 超过 超出 调用 进行 处理
    有没有 其中 里面 地方 位置 部分 我们 它们 以及 或者 并且 的 了 是 在 用 被 由 对 和 与 或 吗 呢 吧 里 中 上 下 有 会 能 要 把 给 到 从 为
    以 及 都 就 也 我 你 它 这 那 该 哪 个 些 种 谁 负责";

/// Words that ask for the place where a rule is applied.
const ENFORCED: &str = "\
    enforce enforced enforces enforcement check checked checks apply applied exceed exceeded reached validated
    强制 执行 检查 生效 超过 超出 限制了 控制";

/// Words that ask for a definition.
const DEFINED: &str = "define defined definition declare declared declaration 定义 声明";

/// Words that ask for a use.
const USED: &str = "call called calls invoke invoked caller callers 调用";

/// Words that ask for a place.
pub(super) const WHERE: [&str; 10] =
    ["where", "which file", "what file", "which line", "哪里", "哪儿", "何处", "在哪", "哪个文件", "哪一行"];

/// A kind of request that a question may make about its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Enforced,
    Defined,
    Used,
}

impl Asked {
    /// The words that make it.
    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        let words = match self {
            Asked::Enforced => ENFORCED,
            Asked::Defined => DEFINED,
            Asked::Used => USED,
        };
        words.split_whitespace()
    }
}

/// The rows of words that stand for one another.
pub(super) fn synonyms() -> impl Iterator<Item = impl Iterator<Item = &'static str>> {
    SYNONYMS.lines().map(str::split_whitespace)
}

/// The longest known word that the text begins with, and the English one for it.
pub(super) fn chinese_word(text: &str) -> Option<(&'static str, &'static str)> {
    let words = CHINESE.split_whitespace().filter_map(|pair| pair.split_once('='));
    words.filter(|(word, _)| text.starts_with(word)).max_by_key(|(word, _)| word.len())
}

/// The longest word without meaning that the text begins with.
pub(super) fn chinese_stop(text: &str) -> Option<&'static str> {
    CHINESE_STOP.split_whitespace().filter(|word| text.starts_with(word)).max_by_key(|word| word.len())
}

/// Whether an English word, in small letters, is not what a question is about.
pub(super) fn is_stop(word: &str) -> bool {
    let asks = [Asked::Enforced, Asked::Defined, Asked::Used].into_iter().flat_map(Asked::words);
    STOP.split_whitespace().chain(asks).any(|stop| stop == word)
}

/// The words that say little.
pub(super) fn generic() -> impl Iterator<Item = &'static str> {
    GENERIC.split_whitespace()
}
