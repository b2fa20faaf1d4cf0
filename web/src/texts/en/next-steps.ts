const memory = 'Unload another model, or choose a smaller context or model.';
const toolServer =
  'Test it at Developer, MCP servers, or leave it out in the settings of the conversation.';
const later = 'Wait a moment, then try again.';

/** What can be done about an error of the server, by its code. */
export const nextSteps: Readonly<Record<string, string>> = {
  context_length_exceeded:
    'Raise the context in the settings of the conversation, or let it leave out the oldest messages.',
  vision_unsupported: 'Choose a model with vision.',
  model_not_found: 'Choose another model.',
  out_of_memory: memory,
  memory_exceeded: memory,
  crashed: 'Regenerate the answer: the model is then loaded again.',
  invalid_output: 'Regenerate the answer, or choose another model.',
  storage_failed: 'Free some space, then regenerate the answer.',
  insufficient_disk: 'Delete models that are no longer needed, then try again.',
  runtime_unavailable: 'Install a runtime at Developer, Runtimes.',
  plugin_unreachable: toolServer,
  mcp_unreachable: toolServer,
  hub_unreachable: 'Check the connection of the server to the internet.',
  forbidden: 'Open the app with "hearth open", or with a token that has the permission.',
  queue_full: later,
  model_loading: later,
};
