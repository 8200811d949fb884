/** Completion for fish: one line for each thing that may be offered, with the place where it may be. */

import { type Flag, type Place, type Value, valuedFlags } from './tree.ts';

export function fishScript(places: readonly Place[]): string {
  const below = places.filter(({ path }) => path !== '');
  return `# Completion of forensics for fish. Try it with: forensics completion fish | source

set -g __forensics_places ${below.map(({ path }) => quoted(path)).join(' ')}

# Options whose next word is a value, each behind its place.
set -g __forensics_valued ${valuedFlags(places)
    .map(({ flag }) => quoted(flag))
    .join(' ')}

# Whether the words before the cursor lead to the place that is named.
function __forensics_at
    set -l words (commandline -opc)
    set -l place ''
    set -l is_value 0
    for word in $words[2..-1]
        if test $is_value = 1
            set is_value 0
        else if contains -- "$place $word" $__forensics_valued
            set is_value 1
        else if contains -- (string trim -- "$place $word") $__forensics_places
            set place (string trim -- "$place $word")
        end
    end
    test "$place" = "$argv[1]"
end

complete -c forensics -e
complete -c forensics -f
${places.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, commands, flags, argument }: Place): readonly string[] {
  const start = `complete -c forensics -n ${quoted(`__forensics_at ${quoted(path)}`)}`;
  return [
    ...commands.map((each) => `${start} -a ${each.name} -d ${quoted(each.description)}`),
    ...flags.map((flag) => `${start} ${flagWords(flag)} -d ${quoted(flag.description)}`),
    ...(argument === null ? [] : [`${start} ${offer(argument)}`]),
  ];
}

function flagWords({ name, takesValue, value }: Flag): string {
  const flag = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
  if (!takesValue) return flag;
  return value === null ? `${flag} -x` : `${flag} -r ${offer(value)}`;
}

function offer(value: Value): string {
  if (value.kind === 'file') return '-F';
  if (value.kind === 'folder') return "-f -a '(__fish_complete_directories)'";
  return `-f -a ${quoted(value.choices.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
