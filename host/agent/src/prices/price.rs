use remit_model::Usage;

use super::Cost;

/// How many tokens a price is for.
const PER: u128 = 1_000_000;

/// What a model's tokens cost, in dollars for a million of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    pub(super) input: Cost,
    pub(super) cached_input: Cost,
    pub(super) output: Cost,
}

/// What is known of what a model costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pricing {
    /// The user's file says it.
    Listed(Price),
    /// No provider stands behind it.
    Free,
    /// Nothing.
    Unknown,
}

impl Price {
    /// What a request and its reply cost, rounded up: a sum of many is never less than what they cost.
    pub(crate) fn cost(&self, usage: Usage) -> Cost {
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let parts = [
            (usage.input_tokens - cached, self.input),
            (cached, self.cached_input),
            (usage.output_tokens, self.output),
        ];
        let sum: u128 =
            parts.map(|(tokens, price)| u128::from(tokens) * u128::from(price.micros())).iter().sum();
        Cost::from_micros(u64::try_from(sum.div_ceil(PER)).unwrap_or(u64::MAX))
    }

    /// The least that a request of so many tokens can cost.
    fn least(&self, tokens: u64) -> Cost {
        let cheapest = self.input.min(self.cached_input);
        let sum = u128::from(tokens) * u128::from(cheapest.micros());
        Cost::from_micros(u64::try_from(sum / PER).unwrap_or(u64::MAX))
    }

    /// How many tokens of a reply can be had for so much.
    fn reply_for(&self, cost: Cost) -> u64 {
        match u128::from(self.output.micros()) {
            0 => u64::MAX,
            price => u64::try_from(u128::from(cost.micros()) * PER / price).unwrap_or(u64::MAX),
        }
    }
}

impl Pricing {
    /// What a request and its reply cost, where that is known and not nothing in any case.
    pub(crate) fn cost(&self, usage: Usage) -> Option<Cost> {
        self.listed().map(|price| price.cost(usage))
    }

    /// The least that a request of so many tokens can cost.
    pub(crate) fn least(&self, tokens: u64) -> Cost {
        self.listed().map_or(Cost::ZERO, |price| price.least(tokens))
    }

    /// How many tokens of a reply can be had for so much.
    pub(crate) fn reply_for(&self, cost: Cost) -> u64 {
        self.listed().map_or(u64::MAX, |price| price.reply_for(cost))
    }

    fn listed(&self) -> Option<&Price> {
        match self {
            Pricing::Listed(price) => Some(price),
            Pricing::Free | Pricing::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_input_has_its_own_price_and_a_part_of_a_millionth_is_one() {
        let dollars = |text| Cost::parse(text).unwrap();
        let price = Price { input: dollars("3"), cached_input: dollars("0.3"), output: dollars("15") };
        let cost = |input_tokens, cached_tokens, output_tokens| {
            price.cost(Usage { input_tokens, cached_tokens, output_tokens }).to_string()
        };
        assert_eq!(cost(1_000_000, 0, 0), "3.000000");
        assert_eq!(cost(1_000_000, 900_000, 1000), "0.585000");
        assert_eq!(cost(1, 1, 0), "0.000001");
        assert_eq!(cost(0, 0, 0), "0.000000");
        assert_eq!(cost(1, 9, 0), "0.000001", "more cached than there was");
        assert_eq!(
            price.cost(Usage { input_tokens: u64::MAX, cached_tokens: 0, output_tokens: u64::MAX }).micros(),
            u64::MAX
        );
        assert_eq!(
            (price.least(999_999).to_string(), price.reply_for(dollars("0.15"))),
            ("0.299999".into(), 10_000)
        );
    }
}
