/** A variable of a prompt: `{{name}}`, or `{{name=value}}` with a default. */
export interface PromptVariable {
  readonly name: string;
  readonly value: string;
}

const pattern = /\{\{([^{}=]+)(?:=([^{}]*))?\}\}/g;

/** The variables of a prompt, in the order of their first use. */
export function variablesOf(text: string): readonly PromptVariable[] {
  const variables = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(pattern)) {
    const key = name.trim();
    if (key !== '') variables.set(key, variables.get(key) || value.trim());
  }
  return [...variables].map(([name, value]) => ({ name, value }));
}

/** Replaces the variables of a prompt by values. */
export function fillPrompt(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(pattern, (whole, name: string) => values.get(name.trim()) ?? whole);
}
