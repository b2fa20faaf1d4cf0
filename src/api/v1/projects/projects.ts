import { HearthError } from '../../../kernel/errors/errors.ts';
import type { ProjectFile, StoredProject } from '../../../store/project.ts';
import { projectNotFound } from '../../../store/project-repository.ts';
import type { Store } from '../../../store/store.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import {
  addProjectFile,
  createProject,
  deleteProject,
  deleteProjectFile,
  getProject,
  getProjectFile,
  listProjects,
  maxFiles,
  maxFilesLength,
  maxProjects,
  updateProject,
  type ProjectRecord,
} from './project-schema.ts';

export function mountProjects(app: App, { store, projectFiles }: ApiServices): void {
  const toRecord = async (project: StoredProject, { caller }: RequestContext) => ({
    ...toFields(project),
    file_search: await projectFiles.searchOf(project, caller),
  });

  mount(app, listProjects, async ({ context }) => ({
    projects: await Promise.all(
      (await store.projects.list(context.caller.tokenId)).map((each) => toRecord(each, context)),
    ),
  }));

  mount(app, createProject, async ({ body, context }) => {
    const project = await store.projects.create(context.caller.tokenId, body, maxProjects);
    if (project !== undefined) return toRecord(project, context);
    throw new HearthError(
      'invalid_value',
      `There are ${maxProjects} projects, which is the limit. Delete one of them first.`,
    );
  });

  mount(app, getProject, async ({ params, context }) =>
    toRecord(await findProject(store, params.project_id, context), context),
  );

  mount(app, updateProject, async ({ params: { project_id: id }, body, context }) => {
    const { revision, ...changes } = body;
    const updated = await store.projects.update(id, context.caller.tokenId, changes, revision);
    if (updated !== undefined) return toRecord(updated, context);
    const present = await findProject(store, id, context);
    throw new HearthError(
      'conflict',
      `The project has revision ${present.revision}, not ${revision}: read it again.`,
      { param: 'revision' },
    );
  });

  mount(app, deleteProject, async ({ params: { project_id: id }, context }) => {
    if (!(await store.projects.delete(id, context.caller.tokenId))) throw projectNotFound(id);
    return { project_id: id, deleted: true };
  });

  mount(app, addProjectFile, async ({ params: { project_id: id }, body, context }) => {
    const limits = { maxFiles, maxTotalLength: maxFilesLength };
    const file = await store.projects.addFile(id, context.caller.tokenId, body, limits);
    if (file !== undefined) {
      await projectFiles.index(await findProject(store, id, context), context);
      return toFileRecord(file);
    }
    throw new HearthError(
      'invalid_value',
      `A project has ${maxFiles} files at most, of ${maxFilesLength} characters together. Delete one of them first.`,
    );
  });

  mount(app, getProjectFile, async ({ params, context }) => {
    const { project_id: id, file_id: fileId } = params;
    const file = await store.projects.readFile(id, context.caller.tokenId, fileId);
    if (file === undefined) throw fileNotFound(fileId);
    return { ...toFileRecord(file), text: file.text };
  });

  mount(app, deleteProjectFile, async ({ params, context }) => {
    const { project_id: id, file_id: fileId } = params;
    const isDeleted = await store.projects.deleteFile(id, context.caller.tokenId, fileId);
    if (!isDeleted) throw fileNotFound(fileId);
    return { file_id: fileId, deleted: true };
  });
}

/** @throws HearthError `project_not_found` */
export async function findProject(
  store: Store,
  id: string,
  { caller }: Pick<RequestContext, 'caller'>,
): Promise<StoredProject> {
  const project = await store.projects.find(id, caller.tokenId);
  if (project === undefined) throw projectNotFound(id);
  return project;
}

function fileNotFound(id: string): HearthError {
  return new HearthError(
    'project_not_found',
    `No project of yours has the file "${id}". GET /api/v1/projects lists them with their files.`,
    { param: 'file_id' },
  );
}

function toFields(project: StoredProject): Omit<ProjectRecord, 'file_search'> {
  return {
    project_id: project.id,
    name: project.name,
    instructions: project.instructions,
    preset: project.preset,
    model: project.model,
    files: project.files.map(toFileRecord),
    revision: project.revision,
    created_at: project.createdAt.toISOString(),
    updated_at: project.updatedAt.toISOString(),
  };
}

function toFileRecord(file: ProjectFile): ProjectRecord['files'][number] {
  return {
    file_id: file.id,
    name: file.name,
    characters: file.length,
    created_at: file.createdAt.toISOString(),
  };
}
