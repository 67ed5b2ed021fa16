import { type Copy, DockerfileParser, type From, type Instruction } from 'dockerfile-ast';
import { textOf } from './files.ts';

/** One stage of the image: what it begins with, and what is done then. */
export interface Stage {
  name: string | null;
  from: string;
  steps: Step[];
}

export interface Step {
  keyword: string;
  /** Of an instruction in JSON form its strings, of any other its words. */
  args: string[];
  /** As it stands in the file, after the keyword. */
  text: string;
  /** Of a COPY: the stage that it takes from; null for the folder of the build. */
  source: string | null;
}

export function readDockerfile(): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(textOf('deploy/Dockerfile')).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const from = instruction as From;
      stages.push({ name: from.getBuildStage(), from: from.getImage() ?? '', steps: [] });
    } else stages.at(-1)?.steps.push(stepFrom(instruction));
  }
  return stages;
}

function stepFrom(instruction: Instruction): Step {
  const keyword = instruction.getKeyword();
  const words = instruction.getArguments().map((argument) => argument.getValue());
  const flag = keyword === 'COPY' ? (instruction as Copy).getFromFlag()?.getValue() : undefined;
  const text = instruction.getArgumentsContent() ?? '';
  const isJson = ['CMD', 'HEALTHCHECK'].includes(keyword);
  return {
    keyword,
    args: isJson ? JSON.parse(text.slice(text.indexOf('['))) : words.filter((word) => !word.startsWith('--')),
    text,
    source: flag ?? null,
  };
}

/** Whether a path is among what is sent to the build: everything is ignored but what is named. */
export function isSent(path: string): boolean {
  const lines = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines[0] !== '*' || lines.slice(1).some((line) => !line.startsWith('!'))) {
    throw new Error('.dockerignore begins with * and then only takes back');
  }
  return lines.includes(`!${path.replace(/^\.\//, '').split('/')[0]}`);
}
