/**
 * Words that Hearth does not use. `docs/contributing/glossary.md` explains the terms that replace them.
 * A rule is `{pattern, use, allow?}`: text that matches `pattern` is an error unless the words around the match
 * match `allow`.
 */

/** Rules for identifiers and for names of files and folders; each is tested against the whole name. */
export const nameRules = [
  {
    pattern: /^(given|asked)([A-Z]|$)/,
    use: 'omitUndefined(), or a name that says what the value is',
  },
  { pattern: /^seats?$|Seat(?![a-z])|^seat([A-Z-]|$)/, use: 'InstanceLease' },
  { pattern: /^Visit(?!or)|^visits$|Visits?$/, use: 'InstanceLease', allow: /^visit$|^on[A-Z]/ },
  { pattern: /roster/i, use: 'InstanceRegistry' },
  { pattern: /gives?Way/i, use: 'isEvictable' },
  { pattern: /fairLine/i, use: 'FairQueue' },
  { pattern: /loadLine/i, use: 'AdmissionQueue' },
  { pattern: /utmost/i, use: 'max*, such as maxAvailable' },
  { pattern: /LoadWish|^wish/i, use: 'LoadRequest' },
  { pattern: /^judge|Judge/, use: 'validate*' },
  { pattern: /gatherer/i, use: 'Accumulator, such as ToolCallAccumulator' },
  { pattern: /offeredName/i, use: 'exposedName' },
  { pattern: /isPatient|Patience|^patient/, use: 'waitsForLoad' },
  { pattern: /^callerKey$|^fairKey$/, use: 'clientKey' },
  { pattern: /sharedWork|shareRuns/i, use: 'singleFlight' },
  { pattern: /settleAll/i, use: 'TaskGroup' },
  { pattern: /^Fault$|^toFault/, use: 'ValidationIssue' },
  { pattern: /isPassing/, use: 'isTransient' },
  { pattern: /^[rR]each$|^toReach$|[a-z]Reach$/, use: 'EgressPolicy' },
  { pattern: /^(server|http|process)Link/i, use: 'McpTransport' },
  { pattern: /farewell/i, use: 'drain' },
  { pattern: /^bury|^buried/, use: 'softDelete' },
  { pattern: /lastWords/i, use: 'stderrTail' },
  { pattern: /usualHeaders/i, use: 'defaultHeaders' },
  { pattern: /pointedAt/i, use: 'resolveJsonPointer' },
];

/** Rules for prose: comments, strings of the code and Markdown; case-insensitive, white space collapsed. */
export const proseRules = [
  { pattern: /\bwhoever\b/, use: 'the client that, the process that' },
  { pattern: /\b(nobody|somebody|anybody)\b/, use: 'no client, no process; name who' },
  { pattern: /\bshall\b/, use: 'must, or the present tense' },
  { pattern: /\blets? be\b/, use: 'ignores' },
  { pattern: /\btill\b/, use: 'until' },
  { pattern: /\b(gives?|gave|giving) way\b/, use: 'can be evicted; yields' },
  { pattern: /\blast words?\b/, use: 'the tail of stderr; the final decision' },
  { pattern: /\bfarewells?\b|\butmost\b|\bburied\b/, use: 'drain; maximum; soft-deleted' },
  { pattern: /\bas (it is|they are)(?=[.,;:)]|$)/, use: 'unchanged' },
  {
    pattern:
      /\bwhat (is|are|was|were) (said|asked|given|sent|held|kept|meant|wanted|downloaded|loaded|stored|written|read|mounted|marked|nested|piped|copied|expected|seen|known|fetched|torn)\b/,
    use: 'the noun: the response, the request, the stored items',
  },
  { pattern: /\b(is|are|was|were|be) said\b/, use: 'is reported, is named' },
  { pattern: /\bsay(s|ing)? so\b/, use: 'reports it; prints a message' },
  { pattern: /\bfor ever\b/, use: 'forever, without end' },
  { pattern: /\b(by|in) turns\b/, use: 'alternately; in rotation' },
  {
    pattern: /\bgo(es)? on\b/,
    use: 'continue',
    allow: /\bgo(es)? on (top|disk)\b|\bits header goes on after\b/,
  },
  {
    pattern: /\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|other\b|such\b)[a-z]+/,
    use: 'is not a',
    allow: /\b(?:there|where|here) (?:is|are|was|were) no\b|\bno reason\b|\bno JSON schema\b/,
  },
  {
    pattern: /\bare none\b|\bis none\b/,
    use: 'does not exist; is not one',
    allow: /\b(there|where|it) (is|are) none\b/,
  },
  { pattern: /\banew\b/, use: 'again' },
  {
    pattern: /\b(thereof|therein|hitherto|whereof|upon|lest)\b/,
    use: 'plain words: of it, in it, so far, on',
    allow: /once upon a time/,
  },
  { pattern: /\b(speaks?|tells?|told) of\b/, use: 'describes, reports' },
  {
    pattern: /\b(unless|where|if|when)( (it|they)( is| are)?)? given\b|\bwhere given\b/,
    use: 'is set, is passed',
  },
  { pattern: /\basked (for|of)(?=[.,;:)]|$| by\b)/, use: 'requested' },
  { pattern: /\bcounts? (for )?nothing\b/, use: 'is ignored' },
  { pattern: /\b(spoils?|spoiled|spoilt)\b/, use: 'invalidates' },
  { pattern: /\bcomes? (whole|along)\b/, use: 'is downloaded completely; is included' },
  { pattern: /\band leave\b/, use: 'and exit' },
  { pattern: /\bwhat can go wrong\b|\bhow it is said\b/, use: 'error reference' },
  {
    pattern: /\bwho (asks|waits|wants|looks)\b/,
    use: 'the caller, the client, the waiting request',
  },
  { pattern: /\b(hands?|handed) on\b/, use: 'forwards' },
  { pattern: /\bto come\b/, use: 'in the future; later', allow: /\b(have|has|had) to come\b/ },
  { pattern: /\bin work\b/, use: 'in flight' },
  {
    pattern: /\bwhat (comes|goes|stands|lies|holds)\b/,
    use: 'the noun',
    allow: /\bwhat (comes next|goes wrong)\b/,
  },
  { pattern: /\bwords that are\b|\bwords of its own\b/, use: 'lines, messages' },
  { pattern: /\b(see|sees|make it see)\b(?= (?:and|or) (?:hear|speak))/, use: 'supports vision' },
  { pattern: /\bof (the|a) (caller|client)'s\b/, use: 'that the client names' },
  { pattern: /\bfor certain\b|\blong since\b/, use: 'always; already' },
];
