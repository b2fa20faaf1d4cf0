import { HearthError } from '../../../kernel/errors/errors.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { KeptApproval } from '../../../store/tool-approval-repository.ts';
import { labelOf, pluginId } from '../../../tools/plugin-label.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import {
  answerToolCall,
  listToolApprovals,
  removeToolApproval,
  setToolApproval,
  type ToolApprovalRecord,
} from './tool-approval-schema.ts';

export function mountToolApprovals(app: App, { store, waitingCalls }: ApiServices): void {
  mount(app, listToolApprovals, async ({ context }) => ({
    approvals: (await store.toolApprovals.list(context.caller.tokenId)).map(toRecord),
  }));

  mount(app, setToolApproval, async ({ params: { label, tool }, body, context }) => {
    const isApproved = body.decision === 'always';
    const approval = { pluginId: pluginId(label), tool, isApproved };
    await waitingCalls.keep(context.caller.tokenId, approval);
    return toRecord(approval);
  });

  mount(app, removeToolApproval, async ({ params: { label, tool }, context }) => {
    const id = pluginId(label);
    if (!(await store.toolApprovals.remove(context.caller.tokenId, id, tool))) {
      throw new HearthError(
        'tool_approval_not_found',
        `No choice is kept for the tool ${JSON.stringify(tool)} of "${label}".`,
        { param: 'tool' },
      );
    }
    return { plugin_id: id, tool, removed: true as const };
  });

  mount(app, answerToolCall, async ({ params: { call_id: id }, body, context }) => {
    const { approved: isApproved, scope, reason } = body;
    const answer = { isApproved, scope, ...omitUndefined({ reason }) };
    await waitingCalls.answer(id, answer, context);
    return { call_id: id, approved: isApproved, scope };
  });
}

function toRecord({ pluginId: id, tool, isApproved }: KeptApproval): ToolApprovalRecord {
  const decision = isApproved ? 'always' : 'never';
  return { plugin_id: id, label: labelOf(id) ?? id, tool, decision };
}
