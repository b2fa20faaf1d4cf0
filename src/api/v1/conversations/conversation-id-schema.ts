import * as z from 'zod';

export const exampleConversationId = 'conv_2b8e5d0f7a1c4e936d0b8f2a5c7e1d490f3b6a8c2e5d7190';

export const conversationIdSchema = z
  .string()
  .regex(/^conv_[0-9a-f]{48}$/)
  .meta({ examples: [exampleConversationId] });
