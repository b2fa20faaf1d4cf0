interface NamedTool {
  /** Label of the tool's server; unique in the turn. */
  readonly serverLabel: string;
  readonly name: string;
}

const maxCharacters = 64;

/**
 * Assigns each tool of a turn the name that the model sees. Once the model has seen the name, it stays for the whole
 * turn, even if the list of tools changes.
 */
export class ExposedNames {
  /** Assigned names by server label and tool name. */
  readonly #assigned = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** Returns the names in the order of the tools. */
  offer(tools: readonly NamedTool[]): readonly string[] {
    const counts = new Map<string, number>();
    for (const { name } of tools) {
      const valid = toValid(name);
      counts.set(valid, (counts.get(valid) ?? 0) + 1);
    }
    return tools.map((tool) => {
      const key = JSON.stringify([tool.serverLabel, tool.name]);
      const known = this.#assigned.get(key);
      if (known !== undefined) return known;
      const valid = toValid(tool.name);
      const isShared = (counts.get(valid) ?? 0) > 1 || this.#taken.has(valid);
      const offered = this.#free(isShared ? toValid(`${tool.serverLabel}_${tool.name}`) : valid);
      this.#assigned.set(key, offered);
      this.#taken.add(offered);
      return offered;
    });
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#taken.has(name); number += 1) {
      const suffix = `_${number}`;
      name = wanted.slice(0, maxCharacters - suffix.length) + suffix;
    }
    return name;
  }
}

/** Replaces all characters except letters, digits, `_` and `-`, and truncates the name to 64. */
function toValid(name: string): string {
  const valid = name
    .slice(0, 4 * maxCharacters)
    .replaceAll(/[^A-Za-z0-9_-]+/gu, '_')
    .slice(0, maxCharacters);
  return /[A-Za-z0-9]/u.test(valid) ? valid : 'tool';
}
