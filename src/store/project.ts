/** The owner's settings of a project. */
export interface ProjectFields {
  readonly name: string;
  /** System prompt of its new conversations; may be empty. */
  readonly instructions: string;
  /** Name of a preset for its new conversations. */
  readonly preset: string | null;
  /** Key of the model for its new conversations. */
  readonly model: string | null;
}

export interface ProjectFile {
  /** `file_` and 24 lower-case hex digits. */
  readonly id: string;
  readonly name: string;
  /** Length of its text in characters. */
  readonly length: number;
  readonly createdAt: Date;
}

/** A named folder of conversations. */
export interface StoredProject extends ProjectFields {
  /** `proj_` and 24 lower-case hex digits. */
  readonly id: string;
  /** 1 for a new project; increases by one with each change. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** In the order in which they were added. */
  readonly files: readonly ProjectFile[];
}

/** Prefix of the ids of project files; uploaded files have another one. */
export const projectFilePrefix = 'file_';

/** Id of the vector store that searches a project's files if there are many. */
export function vectorStoreOf({ id }: Pick<StoredProject, 'id'>): string {
  return id.replace(/^proj_/, 'vs_');
}

/** Limits of one owner's files. */
export interface ProjectLimits {
  readonly maxFiles: number;
  /** Maximum characters of all files together. */
  readonly maxTotalLength: number;
}

/** Projects belong to a token, or to callers without one (null). */
export interface ProjectRepository {
  /** Sorted by name. */
  list(ownerId: string | null): Promise<readonly StoredProject[]>;
  find(id: string, ownerId: string | null): Promise<StoredProject | undefined>;
  /** Undefined if the owner has `maxProjects` already. */
  create(
    ownerId: string | null,
    fields: ProjectFields,
    maxProjects: number,
  ): Promise<StoredProject | undefined>;
  /**
   * @param revision The revision to change; any if undefined.
   * @returns undefined if there is no such project, or it has another revision.
   */
  update(
    id: string,
    ownerId: string | null,
    changes: { readonly [Name in keyof ProjectFields]?: ProjectFields[Name] | undefined },
    revision?: number,
  ): Promise<StoredProject | undefined>;
  /** Deletes a project with its files; its conversations stay. False if this owner has no such project. */
  delete(id: string, ownerId: string | null): Promise<boolean>;
  /**
   * Adds a file to a project.
   *
   * @returns undefined if the file would exceed the limits.
   * @throws HearthError `project_not_found`
   */
  addFile(
    id: string,
    ownerId: string | null,
    file: { readonly name: string; readonly text: string },
    limits: ProjectLimits,
  ): Promise<ProjectFile | undefined>;
  /** Reads the name and text of a file. */
  readFile(
    id: string,
    ownerId: string | null,
    fileId: string,
  ): Promise<(ProjectFile & { readonly text: string }) | undefined>;
  /** Reads a file's text regardless of its owner, for the process that indexes it. */
  textOf(fileId: string): Promise<string | undefined>;
  /** Finds the project of the owner's conversation, given by its id or one of its responses. */
  ofConversation(
    named: { readonly id: string } | { readonly responseId: string },
    ownerId: string | null,
  ): Promise<StoredProject | undefined>;
  /** False if the project has no such file. */
  deleteFile(id: string, ownerId: string | null, fileId: string): Promise<boolean>;
}
