"""Makes `heads`, a SavedModel with an error: 64 features do not make 12 heads of 8."""

import tensorflow as tf


class Heads(tf.Module):
    """Attention of tokens to the tokens that a mask lets through."""

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, None, 64], tf.float32, name="tokens"),
            tf.TensorSpec([None, None], tf.bool, name="mask"),
        ]
    )
    def __call__(self, tokens, mask):
        batch, length = tf.shape(tokens)[0], tf.shape(tokens)[1]
        heads = tf.reshape(tokens, [batch, length, 12, 8])
        heads = tf.transpose(heads, [0, 2, 1, 3])
        scores = tf.matmul(heads, heads, transpose_b=True)
        scores = tf.where(mask[:, tf.newaxis, tf.newaxis, :], scores, -1e9)
        return {"attended": tf.matmul(tf.nn.softmax(scores), heads)}


if __name__ == "__main__":
    options = tf.saved_model.SaveOptions(save_debug_info=True)
    model = Heads()
    tf.saved_model.save(model, "examples/heads", signatures=model.__call__, options=options)
