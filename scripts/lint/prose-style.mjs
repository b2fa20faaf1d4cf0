import patterns from '@textlint-rule/textlint-rule-pattern';
import sentenceLength from 'textlint-rule-sentence-length';

/** Forbidden phrases, and their replacements. Case is ignored; a space matches any white space. */
const phrases = [
  // Riddles in place of nouns
  [
    /\bwhat (is|are|was|were) (said|asked|given|sent|held|kept|meant|wanted|downloaded|loaded|stored|written|read|mounted|marked|nested|piped|copied|expected|seen|known|fetched|torn)\b/,
    'the noun: the response, the request, the stored items',
  ],
  [/\bwhat (comes(?! next)|goes(?! wrong)|stands|lies|holds)\b/, 'the noun'],
  // Words for people and things that are not named
  [/\bwhoever\b/, 'the client that, the process that'],
  [/\b(nobody|somebody|anybody)\b/, 'no client, no process; name who'],
  [/\bwho (asks|waits|wants|looks)\b/, 'the caller, the client, the waiting request'],
  [/\bof (the|a) (caller|client)'s\b/, 'that the client names'],
  // Old or dramatic words
  [/\bshall\b/, 'must, or the present tense'],
  [/\btill\b/, 'until'],
  [/\banew\b/, 'again'],
  [/(?<!once )\bupon\b|\b(thereof|therein|hitherto|whereof|lest)\b/, 'of it, in it, so far, on'],
  [/\bfor ever\b/, 'forever, without end'],
  [/\bfarewells?\b|\butmost\b|\bburied\b/, 'drain; maximum; soft-deleted'],
  [/\b(spoils?|spoiled|spoilt)\b/, 'invalidates'],
  [/\blast words?\b/, 'the tail of stderr; the final decision'],
  [/\bfor certain\b|\blong since\b/, 'always; already'],
  // Idioms of other languages
  [/\blets? be\b/, 'ignores'],
  [/\b(gives?|gave|giving) way\b/, 'can be evicted; yields'],
  [/\bas (it is|they are)(?=[.,;:)]|$)/, 'unchanged'],
  [/\b(is|are|was|were|be) said\b/, 'is reported, is named'],
  [/\bsay(s|ing)? so\b/, 'reports it; prints a message'],
  [/\b(by|in) turns\b/, 'alternately; in rotation'],
  [/(?<!its header )\bgo(es)? on\b(?! (top|disk)\b)/, 'continue'],
  [
    /(?<!\b(?:there|where|here) )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|other\b|such\b|reason\b|JSON schema\b)[a-z]+/,
    'is not a',
  ],
  [/(?<!\b(?:there|where|it) )(?:\bare none\b|\bis none\b)/, 'does not exist; is not one'],
  [/\b(speaks?|tells?|told) of\b/, 'describes, reports'],
  [/\b(unless|where|if|when)( (it|they)( is| are)?)? given\b/, 'is set, is passed'],
  [/\basked (for|of)(?=[.,;:)]|$| by\b)/, 'requested'],
  [/\bcounts? (for )?nothing\b/, 'is ignored'],
  [/\bcomes? (whole|along)\b/, 'is downloaded completely; is included'],
  [/\band leave\b/, 'and exit'],
  [/\bwhat can go wrong\b|\bhow it is said\b/, 'error reference'],
  [/\b(hands?|handed) on\b/, 'forwards'],
  [/(?<!\b(?:have|has|had) )\bto come\b/, 'in the future; later'],
  [/\bin work\b/, 'in flight'],
  [/\bwords that are\b|\bwords of its own\b/, 'lines, messages'],
  [/\b(see|sees|make it see)\b(?= (?:and|or) (?:hear|speak))/, 'supports vision'],
];

/** Further forbidden phrases; strings of tests may contain them. */
const stylePhrases = [
  // Pronouns in place of nouns, conditions that look like places, and chains
  [/\b(that|those) of\b/, 'the noun, or a possessive: "the item’s id"'],
  [
    /(?:\b(null|undefined|true|false|none|empty|absent|error|only|except)\b) where (it|they|there|the|a|an|this|its|no) /,
    'if',
  ],
  [/\bof( [a-z]+){1,3} of( [a-z]+){1,3} of\b/, 'a possessive, or two sentences'],
];

/** Phrases that are forbidden in comments. */
const commentPhrases = [
  [
    /^(what|whether|those) /,
    'a noun or a verb at the beginning: "Limits of a token", "True if ..."',
  ],
];

// Vitest imports CommonJS modules without `default`.
const toRule = (ruleId, list) => ({
  ruleId,
  rule: patterns.default ?? patterns,
  options: {
    patterns: list.map(([pattern, use]) => ({
      pattern: `/${pattern.source.replaceAll(' ', String.raw`\s+`)}/iu`,
      message: `Write ${use}.`,
    })),
  },
});

/** Rules for all prose. */
export const phraseRules = [toRule('phrases', phrases)];

/** Rules for comments, pages, and strings outside of tests. */
export const styleRules = [toRule('style', stylePhrases)];

/** Rules only for comments. */
export const commentRules = [toRule('comments', commentPhrases)];

export const maxSentenceLength = 300;

/** Rules for texts that consist of sentences: comments and pages. */
export const sentenceRules = [
  {
    ruleId: 'sentence-length',
    rule: sentenceLength.default ?? sentenceLength,
    // Paths and URLs do not count.
    options: { max: maxSentenceLength, skipPatterns: [String.raw`/\S+\/\S+/`] },
  },
];
