/**
 * Rules for identifiers and names of files and folders. A name that matches `pattern` is an error unless it also
 * matches `allow`. `docs/contributing/glossary.md` explains the terms to use instead.
 */
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
