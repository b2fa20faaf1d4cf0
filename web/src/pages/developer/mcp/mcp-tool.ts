export interface McpTool {
  readonly name: string;
  readonly description: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
}
