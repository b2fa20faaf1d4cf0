export interface PinnedArchive {
  readonly fileName: string;
  /** SHA-256 in lower-case hexadecimal. */
  readonly sha256: string;
}

export interface PinnedBuild {
  /** All archives are unpacked into one folder. */
  readonly archives: readonly PinnedArchive[];
  /** Major version of the oldest supported NVIDIA driver. */
  readonly minimumDriverMajor?: number;
  /** Minimum compute capability of all NVIDIA GPUs: CUDA 13 has no kernels for GPUs before Turing (7.5). */
  readonly minimumComputeCapability?: number;
}

/** Builds by target: `<platform>-<arch>-<backend>`, such as `linux-x64-cpu`. */
export interface PinnedRelease {
  /** Tag of the llama.cpp release. */
  readonly tag: string;
  readonly builds: Readonly<Record<string, PinnedBuild>>;
}

export interface PinnedWheel {
  /** Version of the `xllamacpp` package. */
  readonly version: string;
  /** llama.cpp build in the package. */
  readonly build: string;
  /** Minimum minor version of Python 3. */
  readonly minimumPythonMinor: number;
  /** SHA-256 of the wheel by target. */
  readonly sha256: Readonly<Record<string, string>>;
}

const tag = 'b11541';
const wheelBuild = 'b11549';

const tarball = (build: string, sha256: string): PinnedArchive => ({
  fileName: `llama-${tag}-bin-${build}.tar.gz`,
  sha256,
});

const zip = (build: string, sha256: string): PinnedArchive => ({
  fileName: `llama-${tag}-bin-${build}.zip`,
  sha256,
});

/**
 * The official release that Hearth installs. The hashes are the `digest` fields that GitHub publishes for the
 * assets of the release; `docs/runtimes.md` describes how they were verified and how to update the tag.
 */
export const pinnedRelease: PinnedRelease = {
  tag,
  builds: {
    'linux-x64-cpu': {
      archives: [
        tarball('ubuntu-x64', '36ca310be4405acb7ba59b32dbdce32bb9cd7b1ef95358997b7eaed2c6f0188b'),
      ],
    },
    'linux-x64-vulkan': {
      archives: [
        tarball(
          'ubuntu-vulkan-x64',
          'bf91ce14ddfda55c01c8b8846aa7d6093a07b0213913b6216ed4a2d6ea78b1f8',
        ),
      ],
    },
    'linux-x64-cuda': {
      minimumDriverMajor: 570,
      archives: [
        tarball(
          'ubuntu-cuda-12.8-x64',
          '551ee13d02dd42599861c8ffbd71c7a110f379a51cb9c5947cb799cdbbc610b2',
        ),
        {
          fileName: `cudart-llama-${tag}-bin-ubuntu-cuda-12.8-x64.tar.gz`,
          sha256: '6c8acf749cb80a5932b8c5ba16476c3626ce72b09bcfe9078c27b1087ae39c4f',
        },
      ],
    },
    'linux-arm64-cpu': {
      archives: [
        tarball('ubuntu-arm64', 'fcd44afd8ecdd2068d0c8505c0f96fa32014b4814d0dc74947a471deddcb9998'),
      ],
    },
    'linux-arm64-vulkan': {
      archives: [
        tarball(
          'ubuntu-vulkan-arm64',
          'cfc991be4e09135ab00870582cbb0f403b48683b9f5d33d547ee327a2a604c78',
        ),
      ],
    },
    'linux-arm64-cuda': {
      minimumDriverMajor: 580,
      minimumComputeCapability: 7.5,
      archives: [
        tarball(
          'ubuntu-cuda-13.4-arm64',
          'cc9795af6195f360c6595ea17797035a26f878c60dfb49539e4b087689468ab9',
        ),
        {
          fileName: `cudart-llama-${tag}-bin-ubuntu-cuda-13.4-arm64.tar.gz`,
          sha256: '735c30989a66950ec90b6a339a4c38cf0b08c88692a87bfe0ee290fa0d5e2a97',
        },
      ],
    },
    'macos-arm64-metal': {
      archives: [
        tarball('macos-arm64', '226929037cfcb956f50ae1d54bac13d3d9446d8d819c439580e1e2c00197da5e'),
      ],
    },
    'macos-x64-cpu': {
      archives: [
        tarball('macos-x64', 'f74c3e79f68e9d0099bd2adc45c72208ec9748cd39e4098eeef7e49011445565'),
      ],
    },
    'windows-x64-cpu': {
      archives: [
        zip('win-cpu-x64', 'cdc0535d11038bb337dfba3c15682050eaa9c07aedd0f915b4c09e8a8e8c0a5c'),
      ],
    },
    'windows-x64-vulkan': {
      archives: [
        zip('win-vulkan-x64', '37bba511d120222f13c3d520dd875f739a530cc124e78f7cbce0026de0173d8a'),
      ],
    },
    'windows-x64-cuda': {
      minimumDriverMajor: 580,
      minimumComputeCapability: 7.5,
      archives: [
        zip(
          'win-cuda-13.4-x64',
          '927672eae5bb9cf4dde89a00a764c33e69e98db4b3d8be42f8990bf383cfdf61',
        ),
        {
          fileName: 'cudart-llama-bin-win-cuda-13.4-x64.zip',
          sha256: '738f8c251ac22b70c3ae6f83a10cf222725df0395246a2cf58f32bdb85fbe668',
        },
      ],
    },
    'windows-arm64-cpu': {
      archives: [
        zip('win-cpu-arm64', '8f112d39c0bde44451ae5878709fdf2196e8d680cb8cb9354ca5332337f0942b'),
      ],
    },
  },
};

/** The Python package with the same server, used if the release can't be downloaded. */
export const pinnedWheel: PinnedWheel = {
  version: `2026.10.${wheelBuild.slice(1)}`,
  build: wheelBuild,
  minimumPythonMinor: 10,
  sha256: {
    'linux-x64-cpu': 'c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261',
    'linux-arm64-cpu': 'e2a3e79e775515de4ad197e667f874070446ef9ac9cf2044bc9866bc4c72289e',
    'macos-arm64-metal': '4ecda27a308b2403aa13c9d04b270befab95edc556c24ed00b2f8a98bd7f6781',
    'macos-x64-cpu': '1f2a08052bb653659bcf1bedbbaf86b97f41dd46aa2763d596d7f27c5d89a689',
    'windows-x64-cpu': '1b76730ab9af47ec8d05a3d55154305fa92642f694dd9ad87d9e5a5e9956a59d',
  },
};
