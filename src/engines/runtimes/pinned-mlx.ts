/** The packages that run MLX models; `mlx-requirements.txt` beside the launcher has their hashes. */
export interface PinnedMlx {
  /** Version of mlx-lm. */
  readonly version: string;
  /** Minimum minor version of Python 3. */
  readonly minimumPythonMinor: number;
  /** Machines for which all packages have wheels. */
  readonly targets: readonly string[];
}

export const pinnedMlx: PinnedMlx = {
  version: '0.32.2',
  minimumPythonMinor: 11,
  targets: ['macos-arm64-metal', 'linux-x64-cpu', 'linux-arm64-cpu'],
};
