// worker.js - asks the library beside the page, so that the page never waits. With host.js before it.
let reckon = null, asking = 0;

function told(done, total, best_s) {
  postMessage({id: asking, progress: {done, total, best_s}});
}

onmessage = async ({data}) => {
  if (data.module) {
    reckon = await openReckon(data.module, data.files, told);
    postMessage({id: 0});
    return;
  }
  asking = data.id;
  try {
    // Beside the commands, "text NAME" is the file of a model, complete: what to change and give back.
    const answer = data.words[0] === 'text' ? {code: 0, text: reckon.modelText(data.words[1]), remarks: '', error: null}
      : reckon.ask(data.words, data.files);
    postMessage({id: data.id, answer});
  } catch (failure) {
    await reckon.restart();
    postMessage({id: data.id, answer: {code: 4, text: '', remarks: '', error: {text: 'the library stopped: ' + failure.message}}});
  }
};
