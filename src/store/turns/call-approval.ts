/** The answer of a client to a call that needs an approval. */
export interface CallApproval {
  /** Id of the item `approvalRequest`. */
  readonly requestId: string;
  readonly isApproved: boolean;
  /** Shown to the model where the call is refused. */
  readonly reason?: string;
}
